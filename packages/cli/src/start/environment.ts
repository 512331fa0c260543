import process from 'node:process'
import { pick } from '../hosts/host.ts'

/** A command with the complete environment of its process. */
export interface Start {
  readonly command: string
  readonly args: readonly string[]
  /** All variables of the process. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

type Variables = Readonly<Record<string, string | undefined>>

/** The `PATH` of apps that were not started by a shell. */
export const APP_PATH = '/usr/bin:/bin'

const WINDOWS_NAMES = ['PATH', 'PATHEXT', 'APPDATA', 'LOCALAPPDATA', 'USERPROFILE', 'SystemRoot', 'TEMP']

/**
 * Returns the environment that an app provides for its servers: a minimal `PATH`, no shell variables, and a
 * different working directory.
 */
export function appEnvironment(own: Variables): Pick<Start, 'env' | 'cwd'> {
  if (process.platform === 'win32') return { env: pick(own, WINDOWS_NAMES), cwd: own['SystemRoot'] ?? 'C:\\' }
  return { env: { PATH: APP_PATH, ...pick(own, ['HOME']) }, cwd: '/' }
}

/** Returns an environment without variables that may be secret, because the program may come from a stranger. */
export const projectEnvironment = (own: Variables): Pick<Start, 'env' | 'cwd'> => ({
  env: pick(own, [...WINDOWS_NAMES, 'HOME', 'LANG', 'LOGNAME', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER']),
  cwd: process.cwd(),
})

/** Returns the environment that a host in a terminal provides for its servers. */
export const userEnvironment = (own: Variables): Pick<Start, 'env' | 'cwd'> => ({
  env: pick(own, Object.keys(own)),
  cwd: process.cwd(),
})
