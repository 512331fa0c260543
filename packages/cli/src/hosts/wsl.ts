import type { LocalServer } from './host.ts'
import type { Place } from './place.ts'

/** Windows, seen from a Linux inside of it (WSL). */
export interface WindowsSide {
  /** Its user. `list` takes paths of Windows. */
  readonly place: Place
  /** The path in this Linux of a path of Windows. */
  readonly mounted: (path: string) => string
  /** The name of this Linux. */
  readonly distribution: string
}

/**
 * Undefined outside of WSL. The user's folder is known from `PATH`, to which WSL adds that of Windows:
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

/** A server of this Linux, as Windows starts it. Without `--exec`, a shell would read the arguments. */
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
