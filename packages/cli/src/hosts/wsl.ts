import type { LocalServer } from './host.ts'
import type { Place } from './place.ts'

/** The Windows system around a Linux system in WSL. */
export interface WindowsSide {
  /** The Windows user. `list` takes Windows paths. */
  readonly place: Place
  /** Converts a Windows path to a path in this Linux distribution. */
  readonly mounted: (path: string) => string
  /** The name of this Linux distribution. */
  readonly distribution: string
}

/**
 * Finds Windows around WSL, or returns undefined outside of WSL. Finds the user's folder in `PATH`, to which WSL adds the
 * `PATH` of Windows:
 * https://learn.microsoft.com/windows/wsl/filesystems.
 */
export function windowsSide({ platform, env, list }: Place): WindowsSide | undefined {
  const distribution = env['WSL_DISTRO_NAME']
  if (platform !== 'linux' || distribution === undefined) return undefined
  const [, mount, drive, user] =
    /(?:^|:)(\/[^:]*?)\/([a-z])\/Users\/([^/:]+)\/AppData\//i.exec(env['PATH'] ?? '') ?? []
  if (mount === undefined || drive === undefined || user === undefined) return undefined
  const home = `${drive.toUpperCase()}:\\Users\\${user}`
  const mounted = (path: string): string =>
    `${mount}/${drive}/Users/${user}${path.slice(home.length).replaceAll('\\', '/')}`
  return {
    place: { platform: 'win32', home, env: {}, list: (folder) => list(mounted(folder)) },
    mounted,
    distribution,
  }
}

/** Converts a server of this Linux to one that Windows starts. Without `--exec`, a shell would parse the arguments. */
export function throughWsl(server: LocalServer, { distribution }: WindowsSide): LocalServer {
  const { command, args, env, references } = server
  // https://learn.microsoft.com/windows/wsl/filesystems#wslenv-flags: `/u` is for Windows to Linux.
  const passed = [...Object.keys(env), ...references].map((name) => `${name}/u`).join(':')
  return {
    command: 'wsl.exe',
    args: ['--distribution', distribution, '--exec', command, ...args],
    env: { ...env, ...(passed !== '' && { WSLENV: passed }) },
    references,
  }
}
