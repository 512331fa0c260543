import process from 'node:process'
import { type Running, startNode } from '@jetway-apps/test-support/processes'
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
export interface Listening extends Running {
  readonly url: string
}

/** Starts a transport's server, and waits until it prints its URL. */
export const listen = (transport: HttpTransportName, ...flags: readonly string[]): Promise<Listening> =>
  start([...SERVER_COMMANDS[transport], ...flags])

/** Starts a program, and waits until it prints its URL. */
export async function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Listening> {
  const server = startNode(args, env)
  const [, ready = ''] = await server.until(/^({"ready".*})$/m)
  const { url } = JSON.parse(ready) as { url: string }
  return { ...server, url }
}
