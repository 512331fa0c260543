import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { program } from '@jetway-tools/runtimes/program'

const main = program(new URL('../../src/main.ts', import.meta.url))

export type HttpTransportName = 'fastify' | 'hono' | 'fetch'
export type TransportName = HttpTransportName | 'stdio'

/** The command of each transport's server. Each runs in its own process. */
export const SERVER_COMMANDS: Readonly<Record<TransportName, readonly string[]>> = {
  fastify: [...main, '--http', '--adapter', 'fastify', '--port', '0'],
  hono: [...main, '--http', '--adapter', 'hono', '--port', '0'],
  fetch: program(new URL('./serve-fetch.ts', import.meta.url)),
  stdio: [...main, '--stdio'],
}

/** The command line of the stdio server. */
export function stdioCommand(...flags: readonly string[]): { command: string; args: string[] } {
  return { command: process.execPath, args: [...SERVER_COMMANDS.stdio, ...flags] }
}

/** A server that listens. */
export interface Listening {
  readonly url: string
  /** Its stderr so far. */
  stderr(): string
  /** Resolves when it has written this to stderr. */
  until(text: string): Promise<void>
  /** Stops it, by SIGTERM by default. Resolves to its exit code, or null after a signal. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Starts a transport's server, and waits until it prints its URL. */
export const listen = (transport: HttpTransportName, ...flags: readonly string[]): Promise<Listening> =>
  start([...SERVER_COMMANDS[transport], ...flags])

/** Starts a program, and waits until it prints its URL. */
export async function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Listening> {
  const child = spawn(process.execPath, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  process.once('exit', () => child.kill())
  child.stdout.resume()
  let heard = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (heard += text))
  const url = await readyUrl(child).catch((error: unknown) => {
    child.kill('SIGKILL')
    throw new Error(`It did not start: ${heard}`, { cause: error })
  })
  const stop = (signal?: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal)
    return exited
  }
  const until = async (text: string): Promise<void> => {
    while (!heard.includes(text)) await once(child.stderr, 'data')
  }
  return { url, stderr: () => heard, until, stop }
}

async function readyUrl(child: ChildProcessWithoutNullStreams): Promise<string> {
  for await (const line of createInterface({ input: child.stderr })) {
    if (!line.startsWith('{"ready"')) continue
    // Leaving the loop pauses the stream.
    child.stderr.resume()
    return (JSON.parse(line) as { url: string }).url
  }
  throw new Error('The process ended before it listened')
}
