import { Client } from '@jetway/client'
import { sse } from '@jetway/client/http'
import type { JsonObject, RevisionDate } from '@jetway/core/protocol'
import type { Driver, Loose } from './clients.ts'
import { Inbox } from './inbox.ts'
import type { Target } from './processes.ts'

/** Connects Jetway's client over HTTP+SSE, in one revision. */
export async function connectOwnSse(target: Target, revision = '2025-11-25'): Promise<Driver> {
  if (!('url' in target)) throw new Error('HTTP+SSE needs an address')
  const client = new Client({ name: 'matrix', version: '1.0.0' }, { revisions: [revision as RevisionDate] })
  const inbox = new Inbox()
  client.on('notification', (message) => inbox.take(message))
  await client.connect(sse(new URL('sse', target.url)))
  const request = (method: string, params: object = {}): Promise<Loose> =>
    client.request(method, params as JsonObject)
  const loose = (items: readonly object[]): readonly Loose[] => items as Loose[]
  return {
    inbox,
    listen: () => Promise.resolve(),
    server: () => ({
      info: client.server?.info as unknown as Loose,
      capabilities: client.server?.capabilities as unknown as Loose,
      instructions: client.server?.instructions,
    }),
    ping: () => client.ping().then(() => ({})),
    listTools: async () => loose(await client.listTools()),
    callTool: async (name, args = {}, { meta, signal, onprogress } = {}) => ({
      ...(await client.callTool(name, args as JsonObject, {
        ...(signal !== undefined && { signal }),
        ...(onprogress !== undefined && { onProgress: onprogress }),
        ...(meta !== undefined && { _meta: meta }),
      })),
    }),
    listResources: async () => loose(await client.listResources()),
    listResourceTemplates: async () => loose(await client.listResourceTemplates()),
    readResource: async (uri) => ({ ...(await client.readResource(uri)) }),
    subscribe: (uri) => client.subscribe(uri).then(() => ({})),
    unsubscribe: (uri) => client.unsubscribe(uri).then(() => ({})),
    listPrompts: async () => loose(await client.listPrompts()),
    getPrompt: async (name, args = {}) => ({ ...(await client.getPrompt(name, args)) }),
    complete: (ref, name, value) => request('completion/complete', { ref, argument: { name, value } }),
    setLoggingLevel: (level) => client.setLogLevel(level).then(() => ({})),
    request,
    deleteSession: () => Promise.resolve(),
    close: () => client.close(),
  }
}
