/** What the root scripts share: running one command after another and saying how each went. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { execPath, stderr } from 'node:process'
import { pnpm, root } from './pnpm.mjs'

/** The command line of a tool from the root's dev dependencies. */
export function tool(name, ...args) {
  return [join(root, 'node_modules', '.bin', name), ...args]
}

/** The command line of one of this folder's scripts. */
export function script(name, ...args) {
  return [execPath, join(root, '.ci', name), ...args]
}

export const install = () => [...pnpm(), 'install', '--frozen-lockfile']
export const build = () => tool('tsdown')
export const types = () => script('types.mjs')
export const vitest = (...args) => tool('vitest', '--config', 'vitest.workspace.ts', 'run', ...args)

/**
 * Runs a command from the repository's root and resolves to its exit code, 1 if it could not start.
 * Quiet commands are heard only when they fail. stdout is kept free for what the caller itself prints.
 */
export function run(command, { quiet = false, env = {}, timeoutMs } = {}) {
  return new Promise((resolve) => {
    const [file, ...args] = command
    const child = spawn(file, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', quiet ? 'pipe' : 2, quiet ? 'pipe' : 2],
      timeout: timeoutMs,
      shell: process.platform === 'win32',
    })
    const heard = []
    child.stdout?.on('data', (chunk) => heard.push(chunk))
    child.stderr?.on('data', (chunk) => heard.push(chunk))
    child.on('error', (error) => {
      stderr.write(`${error.message}\n`)
      resolve(1)
    })
    child.on('close', (code, signal) => {
      if (code !== 0) stderr.write(Buffer.concat(heard))
      if (signal) stderr.write(`${file} ended by ${signal}\n`)
      resolve(code ?? 1)
    })
  })
}

/** Runs a step under a title with its duration, on stderr; resolves to the exit code. */
export async function step(title, command, options) {
  const start = performance.now()
  const code = await run(command, options)
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  stderr.write(`${code === 0 ? '✓' : '✗'} ${title} (${seconds} s)\n`)
  return code
}

/** Like {@link step}, but a failure ends the process with its code. */
export async function must(title, command, options) {
  const code = await step(title, command, options)
  if (code !== 0) process.exit(code)
}
