import { once } from 'node:events'
import { McpServer } from '@jetway/core'
import type { HttpRequest } from '@jetway/core/http'
import { expect } from 'vitest'
import { type AdapterClient, callFrame, INITIALIZE, textOf, type WholeReply } from './adapter-client.ts'
import { watching } from './adapter-requests.ts'
import type { AdapterCase, CaseContext, Serving } from './adapter-types.ts'

const STREAM = { method: 'GET', headers: { accept: 'text/event-stream' } } as const

/** A server with a tool that reports once, then waits until it is let go. */
export function holding(): {
  readonly server: McpServer
  readonly release: () => void
  readonly calls: () => number
} {
  const server = new McpServer({ name: 'contract', version: '1.0.0' })
  let release = (): void => {}
  let calls = 0
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  server.addTool({
    name: 'hold',
    async handler(args: Record<string, unknown>, ctx) {
      calls++
      if (args['reports'] === true) await ctx.progress(1)
      await released
      return 'released'
    },
    inputSchema: { type: 'object' },
  })
  return { server, release, calls: () => calls }
}

const flowing: readonly AdapterCase[] = [
  {
    name: 'sends the head of a stream at once, before there is anything to write',
    async run({ serve }) {
      const { client } = await serve({ eventStore: false, keepAliveMs: false })
      const { headers } = STREAM
      const reply = await client.open({ ...STREAM, headers: { ...headers, ...(await client.initialize()) } })
      expect([reply.status, reply.text()]).toEqual([200, ''])
    },
  },
  {
    name: 'sends each frame when it is written, and does not wait for the end',
    async run({ serve }) {
      const { server, release } = holding()
      const { client } = await serve({ stateless: true }, {}, server)
      const reply = await client.open({ body: callFrame('hold', { reports: true }) })
      await reply.until('notifications/progress')
      release()
      expect(await reply.whole()).toContain('"text":"released"')
    },
  },
  {
    name: 'keeps an open stream alive with comments',
    async run({ serve }) {
      const { client } = await serve({ eventStore: false, keepAliveMs: 10 })
      const { headers } = STREAM
      const reply = await client.open({ ...STREAM, headers: { ...headers, ...(await client.initialize()) } })
      await reply.until(': keep-alive\n\n: keep-alive\n\n')
    },
  },
  {
    name: 'sends the head of a call that lasts when it becomes a stream',
    async run({ serve }) {
      const { server, release } = holding()
      const { client } = await serve({ stateless: true, upgradeAfterMs: 10 }, {}, server)
      const reply = await client.open({ body: callFrame('hold') })
      expect(reply.headers['content-type']).toMatch(/^text\/event-stream/)
      release()
      expect(textOf({ status: reply.status, headers: reply.headers, body: await reply.whole() })).toBe(
        'released',
      )
    },
  },
]

const leaving: readonly AdapterCase[] = [
  {
    name: 'aborts the signal when the peer leaves an open stream',
    async run({ serve }) {
      const { seen, authenticate } = watching()
      const { server, release } = holding()
      const { client } = await serve({ stateless: true, authenticate }, {}, server)
      const reply = await client.open({ body: callFrame('hold', { reports: true }) })
      const { signal } = seen[0] as HttpRequest
      const aborted = once(signal, 'abort')
      expect(signal.aborted).toBe(false)
      reply.leave()
      await client.within(aborted, 'the signal of a peer that left a stream')
      release()
    },
  },
  {
    name: 'aborts the signal when the peer leaves before there is a reply, and goes on serving others',
    async run({ serve }) {
      const { seen, authenticate } = watching()
      const { server, release, calls } = holding()
      server.addTool({ name: 'after', handler: () => 'after' })
      const { client } = await serve({ stateless: true, authenticate }, {}, server)
      const connection = await client.raw()
      await connection.send(client.post(callFrame('hold')))
      await client.eventually(() => calls() === 1, 'the call to run')
      const { signal } = seen[0] as HttpRequest
      const aborted = once(signal, 'abort')
      connection.leave()
      await client.within(aborted, 'the signal of a peer that left')
      release()
      expect(await client.call('after')).toBe('after')
    },
  },
  {
    name: 'aborts no signal when the peer has had its whole reply',
    async run({ serve }) {
      const early: AbortSignal[] = []
      const { seen, authenticate } = watching()
      const { client } = await serve({
        stateless: true,
        authenticate: (request) => (early.push(request.signal), authenticate(request)),
      })
      const connection = await client.raw()
      await connection.send(client.post(callFrame('echo', { text: 'x' }), { connection: 'close' }))
      await connection.until(() => false, 'the end of the connection')
      await client.send({ body: callFrame('report', { text: 'x', times: 1 }) })
      await client.call('echo', { text: 'x' })
      const signals = [...early, ...seen.map(({ signal }) => signal)]
      expect(signals.map(({ aborted }) => aborted)).toEqual(Array(6).fill(false))
    },
  },
  {
    name: 'shows a signal that has aborted already when it is first read after the peer has left',
    async run({ serve }) {
      const { seen, authenticate } = watching()
      const { server, release, calls } = holding()
      const { client } = await serve({ stateless: true, authenticate }, {}, server)
      const connections = [await client.raw(), await client.raw()] as const
      for (const connection of connections) {
        const before = calls()
        await connection.send(client.post(callFrame('hold')))
        await client.eventually(() => calls() === before + 1, 'the call to run')
      }
      const [unread, read] = seen as [HttpRequest, HttpRequest]
      const aborted = once(read.signal, 'abort')
      // The one whose signal is read shows when the other one, which left before, is gone too.
      for (const connection of connections) {
        connection.leave()
        await client.send({ body: INITIALIZE })
      }
      await client.within(aborted, 'the signal of a peer that left')
      await client.eventually(() => unread.signal.aborted, 'a signal that is read late')
      release()
    },
  },
]

const FRAME_BYTES = 64 * 1024
const FRAMES = 1024
/** What sockets, kernels and streams may hold between them. Loopback connections grow to several MB on each side. */
const HELD_FRAMES = FRAMES / 2

interface Flood extends Serving {
  /** Frames that the endpoint has taken so far. */
  readonly written: () => number
  readonly reply: Awaited<ReturnType<Serving['client']['open']>>
  readonly request: HttpRequest
}

/** Writes 64 MiB to a peer that has stopped reading, waiting whenever it is told to. Gives it back at a standstill. */
async function flood({ serve }: CaseContext): Promise<Flood> {
  const { seen, authenticate } = watching()
  let written = 0
  const server = new McpServer({ name: 'contract', version: '1.0.0' })
  server.addTool({
    name: 'flood',
    async handler(_args, ctx) {
      const message = 'x'.repeat(FRAME_BYTES)
      while (written < FRAMES) await ctx.progress(++written, FRAMES, message)
      return 'flooded'
    },
  })
  const serving = await serve({ stateless: true, authenticate }, {}, server)
  const { client } = serving
  const reply = await client.open({ body: callFrame('flood') })
  reply.pause()
  let last = -1
  let unchanged = 0
  const stands = (): boolean => {
    unchanged = written === last ? unchanged + 1 : 0
    last = written
    return unchanged > 20
  }
  await client.eventually(stands, 'the writer to stop')
  return { ...serving, written: () => written, reply, request: seen[0] as HttpRequest }
}

const stalling: readonly AdapterCase[] = [
  {
    name: 'tells the writer to wait while the peer does not read, and sends all when it reads again',
    async run(context) {
      const { written, reply } = await flood(context)
      expect(written()).toBeLessThan(HELD_FRAMES)
      reply.resume()
      const text = await reply.whole()
      expect(text.match(/notifications\/progress/g)).toHaveLength(FRAMES)
      expect(text).toContain('"text":"flooded"')
    },
  },
  {
    name: 'lets the writer go when a peer that does not read leaves',
    async run(context) {
      const { client, written, reply } = await flood(context)
      expect(written()).toBeLessThan(FRAMES)
      reply.leave()
      await client.eventually(() => written() === FRAMES, 'the writer to go on without its peer')
    },
  },
]

/** One call that is answered as JSON, and one that is a stream before its handler is let go. */
function callTwice(client: AdapterClient): Promise<WholeReply[]> {
  const answers = Promise.all([
    client.send({ body: callFrame('hold') }),
    client.send({ body: callFrame('hold', { reports: true }) }),
  ])
  // A case that has failed before does not come to look at them.
  answers.catch(() => {})
  return answers
}

const closing: readonly AdapterCase[] = [
  {
    name: 'answers running calls while the server closes, and new ones with 503',
    async run({ serve }) {
      const { server, release, calls } = holding()
      const { client } = await serve({ stateless: true }, {}, server)
      const answers = callTwice(client)
      await client.eventually(() => calls() === 2, 'both calls to run')
      const closed = server.close()
      const late = await client.send({ body: callFrame('hold') })
      expect([late.status, late.headers['retry-after'], late.body]).toEqual([
        503,
        '1',
        expect.stringContaining('"jsonrpc":"2.0"'),
      ])
      release()
      expect((await answers).map(textOf)).toEqual(['released', 'released'])
      await client.within(closed, 'the close of the server')
    },
  },
  {
    name: 'answers running calls when it is closed, however they are answered',
    async run({ serve }) {
      const { server, release, calls } = holding()
      const { client, close } = await serve({ stateless: true }, {}, server)
      const answers = callTwice(client)
      await client.eventually(() => calls() === 2, 'both calls to run')
      const closed = close()
      // However often new work is turned away meanwhile, what runs is not given up.
      for (let late = 0; late < 5; late++) await client.send({ body: INITIALIZE }).catch(() => undefined)
      release()
      expect((await answers).map(textOf)).toEqual(['released', 'released'])
      await client.within(closed, 'the close')
    },
  },
  {
    name: 'ends open streams when it is closed, and can be closed again',
    async run({ serve }) {
      const { client, close } = await serve()
      const { headers } = STREAM
      const reply = await client.open({ ...STREAM, headers: { ...headers, ...(await client.initialize()) } })
      await client.within(close(), 'the close')
      await reply.whole()
      await client.within(close(), 'the second close')
    },
  },
  {
    name: 'closes although a peer has stopped reading',
    async run(context) {
      const { client, close, server, written } = await flood(context)
      expect(written()).toBeLessThan(FRAMES)
      const cut = server.close({ deadline: 50 })
      await client.within(Promise.all([cut, close()]), 'the close')
    },
  },
  {
    name: 'opens nothing for a call when it has been closed',
    async run({ serve }) {
      const { client, close } = await serve()
      await client.within(close(), 'the close')
      const reply = await client.send({ body: INITIALIZE }).catch(() => undefined)
      expect([undefined, 503]).toContain(reply?.status)
    },
  },
]

/** What an adapter must hold while a stream is open, and when it ends. */
export const STREAM_CASES: readonly AdapterCase[] = [...flowing, ...leaving, ...stalling, ...closing]
