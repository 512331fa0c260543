import { setImmediate as turn } from 'node:timers/promises'
import { McpServer } from '@jetway/core'
import type { EndpointOptions } from '@jetway/core/http'
import { MemoryEventStore } from '@jetway/core/stores'
import { MemorySessionStore } from '@jetway-apps/test-support/stores'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { fastify, hono } from './support/adapters.ts'
import { type Piece, ResumingClient } from './support/resuming-client.ts'

const MIB = 1_048_576

function createServer(): McpServer {
  const server = new McpServer({ name: 'resuming', version: '1' })
  server.addTool({
    name: 'poll',
    inputSchema: z.object({ times: z.number() }),
    async handler({ times }, ctx) {
      for (let i = 1; i <= times; i++) {
        ctx.closeConnection({ retryMs: i })
        void ctx.progress(i, times)
        await turn()
      }
      return 'polled'
    },
  })
  server.addTool({
    name: 'say',
    inputSchema: z.object({ notices: z.number(), bytes: z.number().default(1) }),
    async handler({ notices, bytes }, ctx) {
      for (let i = 1; i <= notices; i++) {
        void ctx.progress(i, notices)
        await turn()
      }
      return 'x'.repeat(bytes)
    },
  })
  return server
}

describe.each([
  ['Fastify', fastify],
  ['Hono', hono],
])('resumable streaming on %s', (_, adapter) => {
  const serve = async (options: EndpointOptions = {}): Promise<string> => {
    const app = await adapter.serve(createServer(), options, {})
    onTestFinished(async () => {
      await app.close()
      await app.release()
    })
    return app.url
  }

  // https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
  it('sends the retry time before a client disconnects, and the remaining events when the client resumes', async () => {
    const client = await new ResumingClient(await serve()).open()
    const { notices, response, pieces } = await client.call('poll', { times: 5 })
    expect(notices.map(({ params }) => params?.['progress'])).toEqual([1, 2, 3, 4, 5])
    expect(response.result?.content).toEqual([{ type: 'text', text: 'polled' }])
    expect(pieces[0]).toMatchObject({ messages: [], retries: [1_000, 1] })
    expect(pieces.length).toBeGreaterThan(1)
  })

  it.each<[string, EndpointOptions]>([
    ['is kept', { streams: { eventStore: false } }],
    ['is streamed', { response: 'json' }],
  ])('ignores ctx.closeConnection if no event %s', async (_why, options) => {
    const client = await new ResumingClient(await serve(options)).open()
    const { response, pieces } = await client.call('poll', { times: 3 })
    expect(response.result?.content).toEqual([{ type: 'text', text: 'polled' }])
    expect(pieces).toHaveLength(1)
  })

  it('replays a response that is larger than the event buffer', async () => {
    const client = await new ResumingClient(await serve()).open()
    const bytes = 3 * MIB
    const { notices, response, pieces } = await client.call('say', { notices: 5, bytes }, { leaveAfter: 2 })
    expect(pieces.length).toBeGreaterThan(1)
    expect(notices).toHaveLength(5)
    expect(response.result?.content[0]?.text).toHaveLength(bytes)
  })

  it('sends an identical reply for every unknown event id', async () => {
    const sessionStore = new MemorySessionStore()
    const serveAgain = (): Promise<string> =>
      serve({
        sessions: { store: sessionStore },
        streams: { eventStore: new MemoryEventStore({ maxEvents: 3 }) },
      })
    const url = await serveAgain()
    const client = await new ResumingClient(url).open()
    const other = await new ResumingClient(url).open()
    const { pieces } = await client.call('say', { notices: 20 }, { leaveAfter: 19 })
    const [first = '', ...rest] = pieces.map(({ lastId }) => lastId ?? '')
    const last = rest.at(-1) ?? first
    const [stream, epoch, position] = last.split('.')
    const evicted = `${stream}.${epoch}.1`
    const known = `${stream}.${epoch}.${Number(position) - 1}`
    expect((await client.resume(known)).status).toBe(200)
    // This is another process, which has access to the session's record but not to its streams.
    const restarted = client.through(await serveAgain())
    const refusals: Piece[] = [
      await client.resume('forged'),
      await client.resume(`${stream}.${epoch}.99`),
      await client.resume(`${stream}.${epoch}x.1`),
      await client.resume(evicted),
      await client.resume(last),
      await other.resume(known),
      await restarted.resume(known),
    ]
    expect(refusals.map(({ status }) => status)).toEqual(refusals.map(() => 400))
    expect(new Set(refusals.map(({ text }) => text)).size).toBe(1)
    expect(refusals[0]?.text).toContain('Last-Event-ID')
  })
})
