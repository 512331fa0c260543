import { homedir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'

/** A host whose configuration has servers. */
export interface Host {
  readonly name: string
  /** Its configuration files, the nearest first. Some may not exist. */
  files(place: HostPlace): readonly string[]
}

/** Where files are looked for. */
export interface HostPlace {
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

export const thisPlace = (env: HostPlace['env']): HostPlace => ({
  platform: process.platform,
  home: homedir(),
  cwd: process.cwd(),
  env,
})

/** The folder in which apps keep their settings. */
function settingsFolder({ platform, home, env }: HostPlace): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  if (platform === 'win32') return env['APPDATA'] ?? join(home, 'AppData', 'Roaming')
  return env['XDG_CONFIG_HOME'] ?? join(home, '.config')
}

/** The hosts by the name that a target begins with, such as `cursor:weather`. */
export const HOSTS: readonly Host[] = [
  {
    name: 'claude-desktop',
    files: (place) => [join(settingsFolder(place), 'Claude', 'claude_desktop_config.json')],
  },
  {
    name: 'cursor',
    files: ({ cwd, home }) => [join(cwd, '.cursor', 'mcp.json'), join(home, '.cursor', 'mcp.json')],
  },
  {
    name: 'vscode',
    files: (place) => [
      join(place.cwd, '.vscode', 'mcp.json'),
      join(settingsFolder(place), 'Code', 'User', 'mcp.json'),
    ],
  },
]
