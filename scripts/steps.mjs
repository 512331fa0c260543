/** Runs the commands for the root scripts, and prints the result of each. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { execPath, stderr } from 'node:process'
import { pnpm, root } from '../.ci/pnpm.mjs'

const windows = process.platform === 'win32'

/** Returns the command line of a tool in the root's dev dependencies. */
export function tool(name, ...args) {
  return [join(root, 'node_modules', '.bin', name), ...args]
}

/**
 * Returns the command line of a script in this repository.
 *
 * @param {string} path the path from the root, such as `scripts/types.mjs`
 */
export function script(path, ...args) {
  return [execPath, join(root, path), ...args]
}

export const installAll = () => [...pnpm(), 'install', '--frozen-lockfile']
/** Next.js takes up 300 MB and is needed for only one recipe, so only `.ci/run` installs and tests it. */
export const install = () => [...installAll(), '--filter', '!@jetway-recipes/nextjs']
export const build = () => tool('tsdown')
export const types = () => script('scripts/types.mjs')
/** The environment variables with which tests start the built programs. See `.ci/runtimes/program.js`. */
export const BUILT = { JETWAY_BUILT: '1' }
export const vitest = (...args) => tool('vitest', 'run', ...args)

/** The number of bytes from the end of a command's output that `onOutput` receives. */
const MAX_OUTPUT = 256 * 1024

/**
 * Runs a command. Resolves to its exit code, or to 1 if it cannot be started or exceeds its time limit. All its
 * output is written to stderr, because stdout is reserved for the caller.
 *
 * @param {readonly string[]} command
 * @param {object} [options]
 * @param {boolean} [options.quiet] print the output only if the command fails
 * @param {'ignore'} [options.output] print no output
 * @param {Record<string, string>} [options.env] additional environment variables
 * @param {string} [options.cwd] default: the repository's root
 * @param {number} [options.timeoutMs] kills the command, and everything that it started, after this time
 * @param {(text: string) => void} [options.onOutput] called at the end with the last output
 */
export function run(command, { quiet = false, output, env = {}, cwd = root, timeoutMs, onOutput } = {}) {
  return new Promise((resolve) => {
    const [file, ...args] = command
    const streams = output ?? (quiet || onOutput !== undefined ? 'pipe' : 2)
    const child = spawn(file, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', streams, streams],
      shell: windows,
      // The command has its own process group, so that servers that it started can be killed with it.
      detached: timeoutMs !== undefined && !windows,
    })
    const killGroup = timeoutMs === undefined ? () => {} : limitTime(child, timeoutMs)
    const chunks = []
    let size = 0
    const collect = (chunk) => {
      chunks.push(chunk)
      size += chunk.length
      if (quiet) return
      stderr.write(chunk)
      while (size - chunks[0].length > MAX_OUTPUT) size -= chunks.shift().length
    }
    child.stdout?.on('data', collect)
    child.stderr?.on('data', collect)
    child.on('error', (error) => {
      stderr.write(`${error.message}\n`)
      killGroup()
      resolve(1)
    })
    // A process that the command left running would keep the command's output open, so `close` would not fire.
    child.on('exit', killGroup)
    child.on('close', (code, signal) => {
      if (signal) collect(Buffer.from(`✗ ${file} was killed by ${signal}\n`))
      onOutput?.(Buffer.concat(chunks).toString())
      if (quiet && code !== 0) stderr.write(Buffer.concat(chunks))
      resolve(code ?? 1)
    })
  })
}

/**
 * Kills a child's process group after a time limit, or when this process receives SIGINT or SIGTERM. Returns a
 * function that removes the limit and kills the rest of the group.
 */
function limitTime(child, timeoutMs) {
  const kill = () => {
    try {
      if (windows) child.kill('SIGKILL')
      else process.kill(-child.pid, 'SIGKILL')
    } catch {
      // The group has already ended.
    }
  }
  const stop = () => {
    kill()
    process.exit(1)
  }
  const timer = setTimeout(() => {
    stderr.write(`The command exceeded its time limit of ${timeoutMs / 1000} s and was killed\n`)
    kill()
  }, timeoutMs)
  process.once('SIGINT', stop).once('SIGTERM', stop)
  return () => {
    clearTimeout(timer)
    process.off('SIGINT', stop).off('SIGTERM', stop)
    if (child.pid !== undefined) kill()
  }
}

/** Runs a command, and prints its title and duration on stderr. Resolves to the command's exit code. */
export async function step(title, command, options) {
  const start = performance.now()
  const code = await run(command, options)
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  stderr.write(`${code === 0 ? '✓' : '✗'} ${title} (${seconds} s)\n`)
  return code
}

/** Like {@link step}, but exits this process with the command's exit code if it fails. */
export async function stepOrExit(title, command, options) {
  const code = await step(title, command, options)
  if (code !== 0) process.exit(code)
}
