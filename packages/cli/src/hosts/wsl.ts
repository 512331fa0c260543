import type { LocalServer } from './host.ts'
import type { Place } from './place.ts'

/** The Windows system on which this Linux system runs in WSL. */
export interface WindowsSide {
  /** The Windows user. `list` expects Windows paths. */
  readonly place: Place
  /** Converts a Windows path to a path in this Linux distribution. */
  readonly mounted: (path: string) => string
  /** The name of this Linux distribution. */
  readonly distribution: string
}

/**
 * Returns the Windows system on which WSL runs, or undefined outside WSL. The user's folder is found in `PATH`,
 * because WSL adds the Windows `PATH` to it. See https://learn.microsoft.com/windows/wsl/filesystems.
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

/**
 * Converts a server on this Linux system to one that Windows can start. Without `--exec`, a shell would parse
 * the arguments.
 */
export function throughWsl(server: LocalServer, { distribution }: WindowsSide): LocalServer {
  const { command, args, env, references } = server
  // `/u` passes a variable from Windows to Linux. See
  // https://learn.microsoft.com/windows/wsl/filesystems#wslenv-flags.
  const passed = [...Object.keys(env), ...references].map((name) => `${name}/u`).join(':')
  return {
    command: 'wsl.exe',
    args: ['--distribution', distribution, '--exec', command, ...args],
    env: { ...env, ...(passed !== '' && { WSLENV: passed }) },
    references,
  }
}
