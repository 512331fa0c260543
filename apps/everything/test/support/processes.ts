import process from 'node:process'
import { afterAll, beforeAll } from 'vitest'
import { listening, type Serving, startNode } from '@jetway-apps/test-support/processes'
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

export const TRANSPORTS = Object.keys(SERVER_COMMANDS) as readonly TransportName[]
export const HTTP_TRANSPORTS: readonly HttpTransportName[] = ['fastify', 'hono', 'fetch']

/** A client's target: a URL, or a program to start. */
export type Target = { readonly url: string } | { readonly command: string; readonly args: string[] }

/** Runs a transport's server while the tests in the calling `describe` run. */
export function serving(transport: TransportName, ...flags: readonly string[]): () => Target {
  let server: Serving | undefined
  beforeAll(async () => {
    if (transport !== 'stdio') server = await listen(transport, ...flags)
  })
  afterAll(() => server?.stop())
  return () => server ?? stdioCommand(...flags)
}

/** Returns the command line of the stdio server. */
export function stdioCommand(...flags: readonly string[]): { command: string; args: string[] } {
  return { command: process.execPath, args: [...SERVER_COMMANDS.stdio, ...flags] }
}

export type { Serving as Listening } from '@jetway-apps/test-support/processes'

/** Starts a transport's server, and waits until it prints its URL. */
export const listen = (transport: HttpTransportName, ...flags: readonly string[]): Promise<Serving> =>
  start([...SERVER_COMMANDS[transport], ...flags])

/** Starts a program, and waits until it prints its URL. */
export const start = (args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Serving> =>
  listening(startNode(args, env))
