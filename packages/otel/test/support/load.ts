import { deferred } from '@jetway-apps/test-support'
import { Client } from '@jetway/client'
import { http } from '@jetway/client/http'
import { McpServer, type ServerOptions } from '@jetway/core'
import type { ClientTelemetry, Telemetry } from '@jetway/core/telemetry'
import { mcp } from '@jetway/fastify'
import Fastify from 'fastify'
import { onTestFinished } from 'vitest'

/** A server that is listening, and a function that causes a value for each kind of metric. */
export interface LoadedServer {
  readonly server: McpServer
  /** Sends one request of each kind in a session, and then ends the session. */
  readonly load: () => Promise<void>
}

/** Allows only one call at a time, so that a second call in a session is refused. */
const LIMITS = { running: 1, inFlight: 1 }

interface Options extends ServerOptions {
  /** The telemetry object, which also observes the clients. */
  readonly telemetry: Telemetry & ClientTelemetry
}

/** Serves over HTTP until the end of the test. */
export async function startServer(options: Options): Promise<LoadedServer> {
  let [started, stopped] = [deferred(), deferred()]
  const server = new McpServer({ name: 'observed', version: '1' }, { ...options, limits: LIMITS })
  server.addTool({ name: 'works', handler: () => 'done' })
  server.addTool({ name: 'fails', handler: () => ({ content: [], isError: true }) })
  server.addTool({
    name: 'waits',
    handler: (_args, { signal }) => {
      started.resolve()
      return new Promise((resolve) =>
        signal.addEventListener('abort', () => {
          stopped.resolve()
          resolve('too late')
        }),
      )
    },
  })
  server.addTool({
    name: 'asks',
    handler: async (_args, ctx) => {
      await ctx.elicit('Which one?', { type: 'object', properties: { name: { type: 'string' } } })
      return 'asked'
    },
  })
  server.addPrompt({ name: 'greet', handler: () => 'hello' })
  server.addResource({
    uri: 'data://broken',
    name: 'broken',
    handler: () => {
      throw new Error('broken')
    },
  })
  const app = Fastify()
  await app.register(mcp, { server })
  const url = `${await app.listen({ port: 0, host: '127.0.0.1' })}/mcp`
  onTestFinished(async () => {
    await server.close({ deadline: 0 })
    await app.close()
  })
  const load = (): Promise<void> => {
    ;[started, stopped] = [deferred(), deferred()]
    return send(url, options.telemetry, started.promise, stopped.promise)
  }
  return { server, load }
}

async function send(
  url: string,
  telemetry: ClientTelemetry,
  started: Promise<void>,
  stopped: Promise<void>,
): Promise<void> {
  await using client = new Client(
    { name: 'load', version: '1' },
    {
      telemetry,
      revisions: ['2025-11-25'],
      handlers: { elicit: () => ({ action: 'accept', content: { name: 'this one' } }) },
    },
  )
  await client.connect(http(url))
  await client.callTool('works')
  await client.callTool('fails')
  await client.callTool('asks')
  await client.getPrompt('greet')
  await client.readResource('data://broken').catch(() => {})
  const cancel = new AbortController()
  const cancelled = client.callTool('waits', {}, { signal: cancel.signal }).catch(() => {})
  await started
  await client.callTool('works').catch(() => {})
  cancel.abort()
  await Promise.all([cancelled, stopped])
  await fetch(url, { method: 'POST', body: '{}' })
}
