import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { delimiter, dirname } from 'node:path'
import { text } from 'node:stream/consumers'
import { vi } from 'vitest'

/** Ends a command that hangs. */
const TIMEOUT_MS = 300_000

/** A terminal without this repository's own tools, which uses the registry. `node` is first on its PATH. */
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
    // These only save time.
    npm_config_audit: 'false',
    npm_config_prefer_offline: 'true',
    WRANGLER_SEND_METRICS: 'false',
  }
}

const killGroup = (child: ChildProcess, signal: NodeJS.Signals): void => {
  try {
    process.kill(-(child.pid ?? 0), signal)
  } catch {
    // The group has ended.
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
 * Starts a program that serves HTTP on the port `$PORT`, passes it on when it is ready, and ends it.
 *
 * @param command becomes the program, so that a signal reaches it
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

/** Runs at most so many functions at a time. */
export function limited(most: number): <T>(run: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (run) => {
    if (running >= most) await new Promise<void>((resolve) => void waiting.push(resolve))
    else running += 1
    try {
      return await run()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
