import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { delimiter, dirname } from 'node:path'
import { text } from 'node:stream/consumers'
import { vi } from 'vitest'

/** The time after which a command that hangs is ended. */
const TIMEOUT_MS = 300_000

/**
 * Returns the environment of a terminal that uses the registry and has none of this repository's own tools.
 * `node` is first on its PATH.
 */
export function environment(registry: string, node: string = process.execPath): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) =>
      !/^(?:npm_(?!config_(?:cache|userconfig))|NODE_(?:OPTIONS|ENV|PATH)$|VITEST|JETWAY|CI$)/i.test(name),
  )
  const path = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
  return {
    ...Object.fromEntries(inherited),
    PATH: [dirname(node), ...path].join(delimiter),
    npm_config_registry: registry,
    npm_config_yes: 'true',
    // The following settings only save time.
    npm_config_audit: 'false',
    npm_config_prefer_offline: 'true',
    WRANGLER_SEND_METRICS: 'false',
  }
}

const killGroup = (child: ChildProcess, signal: NodeJS.Signals): void => {
  try {
    process.kill(-(child.pid ?? 0), signal)
  } catch {
    // The process group has already ended.
  }
}

/** Runs a command line in its own process group. Resolves to its standard output. */
export async function shell(command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn('bash', ['-c', command], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const timer = setTimeout(() => killGroup(child, 'SIGKILL'), TIMEOUT_MS)
  const closed = once(child, 'close')
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), closed])
  clearTimeout(timer)
  if (code !== 0) throw new Error(`${command}: exit code ${String(code)}\n${stdout}\n${stderr}`)
  return stdout
}

async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

export interface Served {
  readonly origin: string
  /** Sends SIGTERM to the program. Resolves to its exit code. */
  readonly end: () => Promise<number | null>
}

/**
 * Starts a program that serves HTTP on the port `$PORT`, calls `use` when the program is ready, and then ends
 * the program.
 *
 * @param command is executed without a shell process in between, so that signals reach the program
 */
export async function serving<T>(
  command: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
  use: (served: Served) => Promise<T>,
): Promise<T> {
  const port = await freePort()
  const child = spawn('bash', ['-c', `exec ${command}`], {
    cwd,
    env: { ...env, PORT: `${port}` },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const output = Promise.all([text(child.stdout), text(child.stderr)])
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  const origin = `http://127.0.0.1:${port}`
  try {
    const ready = vi.waitFor(async () => (await fetch(`${origin}/readyz`)).arrayBuffer(), {
      timeout: 90_000,
      interval: 200,
    })
    await Promise.race([
      ready,
      exited.then(async (code) => {
        throw new Error(`${command}: exit code ${code}\n${(await output).join('\n')}`)
      }),
    ])
    return await use({
      origin,
      end: () => {
        child.kill('SIGTERM')
        return exited
      },
    })
  } finally {
    killGroup(child, 'SIGKILL')
    await exited
  }
}
