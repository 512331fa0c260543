import { readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { posix, win32 } from 'node:path'
import process from 'node:process'

/** A machine and its user. Together they determine the paths of hosts' files. */
export interface Place {
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Lists the names in a folder. Returns an empty list if the folder does not exist. */
  readonly list: (folder: string) => readonly string[]
}

/** Returns the machine of this process. On Windows, apps ignore `HOME`. */
export const thisPlace = (env: Place['env']): Place => ({
  platform: process.platform,
  home: env[process.platform === 'win32' ? 'USERPROFILE' : 'HOME'] ?? homedir(),
  env,
  list: namesIn,
})

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Returns the variant of `node:path` for the place's platform. */
export const pathOf = ({ platform }: Place): { readonly join: (...parts: readonly string[]) => string } =>
  platform === 'win32' ? win32 : posix

/** Returns the folder of app settings. */
export function settingsFolder(place: Place): string {
  const { platform, home, env } = place
  const { join } = pathOf(place)
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  if (platform === 'win32') return env['APPDATA'] ?? join(home, 'AppData', 'Roaming')
  return env['XDG_CONFIG_HOME'] ?? join(home, '.config')
}

/** Returns the folder `~/.config`, even on macOS. */
export const dotConfigFolder = (place: Place): string =>
  place.env['XDG_CONFIG_HOME'] ?? pathOf(place).join(place.home, '.config')
