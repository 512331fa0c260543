/** What the root scripts share: running one command after another and saying how each went. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { execPath, stderr } from 'node:process'
import { pnpm, root } from './pnpm.mjs'

const windows = process.platform === 'win32'

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
 * Runs a command from the repository's root and resolves to its exit code, 1 if it could not start or ran out of
 * time. Quiet commands are heard only when they fail. stdout is kept free for what the caller itself prints.
 */
export function run(command, { quiet = false, env = {}, timeoutMs } = {}) {
  return new Promise((resolve) => {
    const [file, ...args] = command
    const output = quiet ? 'pipe' : 2
    const child = spawn(file, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', output, output],
      shell: windows,
      // A group of its own can be ended as a whole: servers that a step has started must not outlive it.
      detached: timeoutMs !== undefined && !windows,
    })
    const end = timeoutMs === undefined ? () => {} : endInTime(child, timeoutMs)
    const heard = []
    child.stdout?.on('data', (chunk) => heard.push(chunk))
    child.stderr?.on('data', (chunk) => heard.push(chunk))
    child.on('error', (error) => {
      stderr.write(`${error.message}\n`)
      end()
      resolve(1)
    })
    child.on('close', (code, signal) => {
      end()
      if (code !== 0) stderr.write(Buffer.concat(heard))
      if (signal) stderr.write(`${file} ended by ${signal}\n`)
      resolve(code ?? 1)
    })
  })
}

/** Ends a child's whole group when its time is over or this process is told to stop; returns what calls that off. */
function endInTime(child, timeoutMs) {
  const kill = () => {
    try {
      if (windows) child.kill('SIGKILL')
      else process.kill(-child.pid, 'SIGKILL')
    } catch {
      // Nothing of the group is left.
    }
  }
  const stop = () => {
    kill()
    process.exit(1)
  }
  const timer = setTimeout(() => {
    stderr.write(`no end after ${timeoutMs / 1000} s\n`)
    kill()
  }, timeoutMs)
  process.once('SIGINT', stop).once('SIGTERM', stop)
  return () => {
    clearTimeout(timer)
    process.off('SIGINT', stop).off('SIGTERM', stop)
    if (child.pid !== undefined) kill()
  }
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
