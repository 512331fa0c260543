import { initialize, INITIALIZED, ping } from '@jetway-apps/test-support'
import { McpServer } from '@jetway/core'
import type { EndpointOptions } from '@jetway/core/http'
import type { Transport } from '@jetway/core/transport'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { HttpTransport } from '../src/http-transport.ts'
import { connectPeer } from '../src/peer.ts'
import { recordTransport, type RecordedFrame } from '../src/record-transport.ts'
import { fastify, hono } from './support/adapters.ts'
import { LegacySseTransport } from './support/legacy-sse-transport.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const SUBJECTS = { Fastify: fastify, Hono: hono }
const TRANSPORTS: Readonly<Record<string, (url: string) => Transport>> = {
  'the GET stream': (url) => new HttpTransport({ url }),
  '/sse': (url) => new LegacySseTransport(new URL('/sse', url).href),
}
const CELLS = Object.entries(SUBJECTS).flatMap(([name, subject]) =>
  Object.entries(TRANSPORTS).map(([transport, dial]) => [transport, name, subject, dial] as const),
)

const pings = (frames: readonly RecordedFrame[]): unknown[] =>
  frames
    .filter(({ direction, text }) => direction === 'received' && text.includes('"method":"ping"'))
    .map(({ message }) => (message as { id: unknown }).id)

// https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping
describe.each(CELLS)('pings on %s of %s', (_door, _name, subject, dial) => {
  const serve = async (
    options: EndpointOptions,
  ): Promise<{ readonly transport: Transport; readonly closed: readonly string[] }> => {
    const server = new McpServer({ name: 'pings', version: '1' }, { logger: silent })
    const { url, release } = await subject.serve(server, { legacySse: true, ...options }, {})
    onTestFinished(() => release())
    onTestFinished(() => server.close({ deadline: 0 }))
    const closed: string[] = []
    server.on('session:close', ({ sessionId }) => void closed.push(sessionId))
    return { transport: dial(url), closed }
  }

  it('keep the session of a client that answers them', async () => {
    const { transport, closed } = await serve({
      streams: { keepAlive: { mode: 'ping', intervalMs: 25, maxMissed: 40 } },
    })
    const recording = recordTransport(transport)
    const peer = await connectPeer(recording.transport, { revision: '2025-11-25' })
    onTestFinished(() => peer.close())
    await vi.waitFor(() => expect(pings(recording.frames).length).toBeGreaterThan(4))
    const ids = pings(recording.frames)
    expect(new Set(ids).size).toBe(ids.length)
    await vi.waitFor(() => {
      const answered = recording.frames
        .filter(({ direction, text }) => direction === 'sent' && text.includes('"result":{}'))
        .map(({ message }) => (message as { id: unknown }).id)
      expect(answered).toEqual(expect.arrayContaining(ids))
    })
    expect(await peer.request('ping')).toMatchObject({ result: {} })
    expect(closed).toEqual([])
  })

  it('end the session of a client that does not answer them', async () => {
    const { transport, closed } = await serve({
      streams: { keepAlive: { mode: 'ping', intervalMs: 50, maxMissed: 2 } },
    })
    const { transport: client, frames } = recordTransport(transport)
    onTestFinished(() => client.close())
    await client.start({ message() {}, malformed() {}, close() {} })
    const send = async (message: object): Promise<void> => client.send(JSON.stringify(message))
    await send(initialize())
    await send(INITIALIZED)
    await vi.waitFor(() => expect(closed).toHaveLength(1))
    await expect(send(ping(2))).rejects.toThrow('404')
    // Earlier pings may be read late. This response answers a ping from before the last message.
    await vi.waitFor(() => expect(pings(frames).length).toBeGreaterThanOrEqual(2))
  })
})
