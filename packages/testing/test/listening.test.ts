import { initialize } from '@jetway-apps/test-support'
import { McpServer } from '@jetway/core'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { AdapterSubject } from '../src/contracts/adapter.ts'
import { sseEvents } from '@jetway/client/http'
import { fastify, fetchHandler, hono } from './support/adapters.ts'
import { fetchModern, JSON_POST } from './support/modern-fetch.ts'

const SUBJECTS: readonly [string, AdapterSubject][] = [
  ['Fastify', fastify],
  ['Hono', hono],
  ['fetch', fetchHandler],
]

async function serve(subject: AdapterSubject, server: McpServer) {
  const { url, close, release } = await subject.serve(server, {}, {})
  onTestFinished(() => release())
  onTestFinished(() => server.close({ deadline: 0 }))
  return { url, server, close }
}

function post(
  url: string,
  message: object,
  headers: Record<string, string>,
  signal?: AbortSignal,
): Promise<Response> {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message })
  return fetch(url, {
    method: 'POST',
    headers: { ...JSON_POST, ...headers },
    body,
    ...(signal && { signal }),
  })
}

/** Yields the messages of a stream until it ends. */
async function* messagesOf({ body }: Response): AsyncGenerator<unknown, void> {
  if (body === null) return
  for await (const { data } of sseEvents(body)) yield JSON.parse(data)
}

const newServer = (): McpServer => new McpServer({ name: 'test', version: '1' })

describe.each(SUBJECTS)('subscriptions/listen over a socket on %s', (_name, subject) => {
  it('ends when its client closes the stream', async () => {
    const ended = vi.fn()
    const server = newServer()
    server.addResource({ uri: 'note://1', name: 'one', onUnsubscribe: ended, handler: () => '' })
    const { url } = await serve(subject, server)
    const leaving = new AbortController()
    const filter = { notifications: { resourceSubscriptions: ['note://1'] } }
    const events = messagesOf(await fetchModern(url, 'subscriptions/listen', filter, leaving))
    await events.next()
    expect(server.stats().openStreams).toBe(1)
    leaving.abort()
    await vi.waitFor(() => expect(ended).toHaveBeenCalledTimes(1))
    expect(server.stats().openStreams).toBe(0)
  })
})

describe.each(SUBJECTS)('a client on %s that disconnects before it receives a response', (_name, subject) => {
  /** Adds a tool that reports when it has started and how it has ended. */
  function slow(server: McpServer): { started: Promise<void>; ended: Promise<string>; release: () => void } {
    let started = (): void => {}
    let ended = (_how: string): void => {}
    let release = (): void => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const tool = {
      started: new Promise<void>((resolve) => (started = resolve)),
      ended: new Promise<string>((resolve) => (ended = resolve)),
      release: () => release(),
    }
    server.addTool({
      name: 'slow',
      async handler(_args, ctx) {
        const aborted = new Promise<string>((resolve) => {
          ctx.signal.addEventListener('abort', () => resolve('aborted'))
        })
        started()
        ended(await Promise.race([aborted, released.then(() => 'finished')]))
        return 'x'
      },
    })
    return tool
  }

  it('cancels a stateless request, even before its stream begins (https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation)', async () => {
    const server = newServer()
    const tool = slow(server)
    const { url } = await serve(subject, server)
    const leaving = new AbortController()
    const reply = fetchModern(url, 'tools/call', { name: 'slow' }, leaving).catch(() => undefined)
    await tool.started
    leaving.abort()
    expect(await tool.ended).toBe('aborted')
    await reply
    await vi.waitFor(() => expect(server.stats().callsInFlight).toBe(0))
  })

  it('does not cancel a call in its session (https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server)', async () => {
    const server = newServer()
    const tool = slow(server)
    const { url } = await serve(subject, server)
    const initialized = await post(url, initialize(), {})
    await initialized.text()
    const headers = {
      'mcp-session-id': initialized.headers.get('mcp-session-id') ?? '',
      'mcp-protocol-version': '2025-11-25',
    }
    const leaving = new AbortController()
    const message = { id: 2, method: 'tools/call', params: { name: 'slow' } }
    const reply = post(url, message, headers, leaving.signal).catch(() => undefined)
    await tool.started
    leaving.abort()
    await reply
    // After this round trip, the server knows that the other connection has closed.
    const ping = await post(url, { id: 3, method: 'ping' }, headers)
    expect(await ping.json()).toMatchObject({ id: 3, result: {} })
    tool.release()
    expect(await tool.ended).toBe('finished')
  })
})
