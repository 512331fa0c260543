import type { ServerProcess } from '../transport/client-transport.ts'

/** The variables that are needed to find files and programs. Other variables may contain secrets. */
const SAFE: readonly string[] = (
  process.platform === 'win32'
    ? 'APPDATA HOMEDRIVE HOMEPATH LOCALAPPDATA PATH PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA PROGRAMFILES ' +
      'SYSTEMDRIVE SYSTEMROOT TEMP TMP USERNAME USERPROFILE WINDIR'
    : 'HOME LANG LOGNAME PATH SHELL TERM TMPDIR TZ USER'
).split(' ')

/** Returns whether a value is a function exported by Bash, which would run in shells that the child starts. */
const isShellFunction = (value: string): boolean => value.startsWith('()')

export function childEnvironment(
  { env = {}, inheritEnv = 'safe' }: Pick<ServerProcess, 'env' | 'inheritEnv'>,
  own: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const names = inheritEnv === 'all' ? Object.keys(own) : inheritEnv === 'safe' ? SAFE : []
  const inherited: Record<string, string> = {}
  for (const name of names) {
    const value = own[name]
    if (value !== undefined && !isShellFunction(value)) inherited[name] = value
  }
  return { ...inherited, ...env }
}
