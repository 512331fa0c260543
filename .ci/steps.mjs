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

/** Bytes of a step's output that are kept for whoever asks `said` for them. */
const MAX_SAID = 256 * 1024

/**
 * Runs a command, from the repository's root unless told otherwise, and resolves to its exit code, 1 if it could not
 * start or ran out of time. Quiet commands are heard only when they fail. stdout is kept free for what the caller
 * itself prints.
 *
 * @param said - a function that is given the end of what the command has said
 */
export function run(command, { quiet = false, env = {}, cwd = root, timeoutMs, said } = {}) {
  return new Promise((resolve) => {
    const [file, ...args] = command
    const output = quiet || said !== undefined ? 'pipe' : 2
    const child = spawn(file, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', output, output],
      shell: windows,
      // A group of its own can be ended as a whole: servers that a step has started must not outlive it.
      detached: timeoutMs !== undefined && !windows,
    })
    const end = timeoutMs === undefined ? () => {} : endInTime(child, timeoutMs)
    const heard = []
    let size = 0
    const hear = (chunk) => {
      heard.push(chunk)
      size += chunk.length
      if (quiet) return
      stderr.write(chunk)
      while (size - heard[0].length > MAX_SAID) size -= heard.shift().length
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    child.on('error', (error) => {
      stderr.write(`${error.message}\n`)
      end()
      resolve(1)
    })
    // What a step has left running would keep its output open.
    child.on('exit', end)
    child.on('close', (code, signal) => {
      if (signal) hear(Buffer.from(`✗ ${file} ended by ${signal}\n`))
      said?.(Buffer.concat(heard).toString())
      if (quiet && code !== 0) stderr.write(Buffer.concat(heard))
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
