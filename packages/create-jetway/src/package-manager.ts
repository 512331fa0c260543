import { spawn } from 'node:child_process'
import process from 'node:process'
import { CreateError } from './errors.ts'

const PACKAGE_MANAGERS = ['npm', 'pnpm', 'yarn', 'bun'] as const

export type PackageManager = (typeof PACKAGE_MANAGERS)[number]

/** @throws CreateError if the package manager is unknown */
export function packageManagerNamed(name: string): PackageManager {
  const found = PACKAGE_MANAGERS.find((known) => known === name)
  if (found !== undefined) return found
  throw new CreateError(`Unknown package manager ${name}`, `Use one of ${PACKAGE_MANAGERS.join(', ')}`)
}

/** Returns the package manager that runs this process. Its user agent begins with its name: `pnpm/10.1.0 npm/? …`. */
export function runningPackageManager(env: NodeJS.ProcessEnv): PackageManager {
  const [name] = (env['npm_config_user_agent'] ?? '').split('/')
  return PACKAGE_MANAGERS.find((known) => known === name) ?? 'npm'
}

/** The time that a package manager has to end after an interrupt, in ms. */
const END_MS = 5_000

/**
 * Installs the dependencies of a project. Resolves to false if the installation fails. After an abort, waits
 * until the package manager has ended, and rejects with the signal's reason.
 */
export async function install(
  packageManager: PackageManager,
  folder: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<boolean> {
  signal.throwIfAborted()
  const child = spawn(packageManager, ['install'], {
    cwd: folder,
    env: withoutProject(env),
    stdio: ['ignore', 'inherit', 'inherit'],
    // On Windows, package managers are scripts.
    shell: process.platform === 'win32',
  })
  let timer: NodeJS.Timeout | undefined
  const stop = (): void => {
    child.kill('SIGINT')
    timer = setTimeout(() => child.kill('SIGKILL'), END_MS)
  }
  signal.addEventListener('abort', stop, { once: true })
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null))
    child.once('close', resolve)
  })
  clearTimeout(timer)
  signal.removeEventListener('abort', stop)
  signal.throwIfAborted()
  return code === 0
}

/** npm sets variables that describe the current project. The child process must find the new project instead. */
const withoutProject = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^npm_(?:package|lifecycle|config_local_prefix)/.test(name)),
  )
