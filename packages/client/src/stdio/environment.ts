import type { ServerProcess } from './options.ts'

/** What a program needs to find its files and its helpers, and no more: other variables hold credentials. */
const SAFE: readonly string[] =
  process.platform === 'win32'
    ? [
        'APPDATA',
        'HOMEDRIVE',
        'HOMEPATH',
        'LOCALAPPDATA',
        'PATH',
        'PATHEXT',
        'PROCESSOR_ARCHITECTURE',
        'PROGRAMDATA',
        'PROGRAMFILES',
        'SYSTEMDRIVE',
        'SYSTEMROOT',
        'TEMP',
        'TMP',
        'USERNAME',
        'USERPROFILE',
        'WINDIR',
      ]
    : ['HOME', 'LANG', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER']

/** A function that a shell has exported would run in the shells that a child starts. */
const isShellFunction = (value: string): boolean => value.startsWith('()')

/** The environment of a child: what it inherits, and above that what it was given. */
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
