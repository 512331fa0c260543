import { settled } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { CallerBytes } from '../../../src/http/caller-bytes.ts'
import { SseWriter } from '../../../src/http/streams/sse-writer.ts'
import { CoalescingQueue } from '../../../src/subscriptions/coalescing-queue.ts'
import type { EndpointOptions } from '../../../src/http/options.ts'
import type { McpServer } from '../../../src/index.ts'
import type { EventStore } from '../../../src/stores/event-store.ts'
import { MemoryEventStore } from '../../../src/stores/memory-event-store.ts'
import {
  createHarness,
  FakeRequest,
  type Harness,
  type Message,
  TestSink,
  type TestSession,
} from '../support/harness.ts'

const LINE = 'x'.repeat(4_000)

/** Writes to its stream without waiting, and then returns. */
const tools = (server: McpServer): void => {
  server.addTool({
    name: 'flood',
    inputSchema: z.object({
      lines: z.number(),
      opened: z.boolean().optional(),
      line: z.string().default(LINE),
    }),
    handler: async ({ lines, opened, line }, ctx) => {
      for (let i = 0; i < lines; i++) {
        ctx.log.info(`${i} ${line}`)
        if (i === 0 && opened === true) await settled()
      }
      await settled()
      return 'flooded'
    },
  })
  server.addTool({
    name: 'polite',
    inputSchema: z.object({ lines: z.number() }),
    handler: async ({ lines }, ctx) => {
      for (let i = 1; i <= lines; i++) await ctx.progress(i, lines, LINE)
      return 'said all'
    },
  })
}

interface Bench extends Harness {
  readonly session: TestSession
  /** Makes a call whose reader stalls after the first chunk. */
  readonly stalled: (
    name: string,
    lines: number,
    opened?: boolean,
    line?: string,
  ) => Promise<{ readonly sink: TestSink; readonly request: FakeRequest }>
}

async function bench(endpoint: EndpointOptions): Promise<Bench> {
  const harness = createHarness({ endpoint, setUp: tools })
  const session = await harness.open({ version: '2025-11-25' })
  const stalled: Bench['stalled'] = async (name, lines, opened = true, line) => {
    const params = { name, arguments: { lines, opened, line }, _meta: { progressToken: 'p' } }
    const body = { jsonrpc: '2.0', id: 2, method: 'tools/call', params }
    const request = new FakeRequest({ body, headers: session.headers })
    const reply = await harness.endpoint.handle(request, request.body)
    const sink = new TestSink()
    sink.stall()
    reply.open?.(sink)
    return { sink, request }
  }
  return { ...harness, session, stalled }
}

const numbers = (messages: readonly Message[]): number[] =>
  messages.flatMap(({ params }) =>
    typeof params?.['data'] === 'string' ? [Number.parseInt(params['data'], 10)] : [],
  )

describe('a client that stops reading', () => {
  it.each([
    ['after the stream has started', true],
    ['before the adapter has opened the stream', false],
  ])(
    'is disconnected at the limit if it can resume, and receives everything when it does: %s',
    async (_, opened) => {
      const { session, stalled } = await bench({ limits: { outboundBytes: 100_000 } })
      const { sink } = await stalled('flood', 100, opened)
      for (let i = 0; i < 4; i++) await settled()
      sink.drain()
      await sink.ended()
      expect(sink.text.length).toBeLessThan(150_000)
      const before = sink.events
      const { sink: rest } = await session.get({ 'last-event-id': before.at(-1)?.id })
      await rest.ended()
      const seen = [...sink.messages, ...rest.messages]
      expect(numbers(seen)).toEqual(Array.from({ length: 100 }, (_item, i) => i))
      expect(seen.at(-1)).toMatchObject({ id: 2, result: { content: [{ text: 'flooded' }] } })
    },
  )

  it.each([
    ['large', 4_000, 400],
    ['small', 10, 7_500],
  ])('can resume within the default limits after %s events', async (_, size, lines) => {
    const { session, stalled } = await bench({})
    const { sink } = await stalled('flood', lines, true, 'x'.repeat(size))
    for (let i = 0; i < 4; i++) await settled()
    sink.drain()
    await sink.ended()
    const before = numbers(sink.messages)
    expect(before.length).toBeLessThan(lines)
    const { sink: rest } = await session.get({ 'last-event-id': sink.events.at(-1)?.id })
    await rest.ended()
    const seen = [...sink.messages, ...rest.messages]
    expect(numbers(seen)).toEqual(Array.from({ length: lines }, (_item, i) => i))
    expect(seen.at(-1)).toMatchObject({ id: 2, result: {} })
  })

  it('loses notifications, but never the response, if it cannot resume', async () => {
    const { stalled } = await bench({ limits: { outboundBytes: 100_000 }, streams: { eventStore: false } })
    const { sink } = await stalled('flood', 1_000)
    await settled()
    sink.drain()
    await sink.ended()
    expect(sink.text.length).toBeLessThan(250_000)
    expect(numbers(sink.messages).length).toBeLessThan(60)
    expect(sink.messages.at(-1)).toMatchObject({ id: 2, result: { content: [{ text: 'flooded' }] } })
  })

  it('slows down a handler that awaits its notifications, and loses no messages', async () => {
    const { stalled } = await bench({ limits: { outboundBytes: 100_000 }, streams: { eventStore: false } })
    const { sink } = await stalled('polite', 200)
    await settled()
    expect(sink.messages.length).toBeLessThan(50)
    sink.drain()
    await sink.ended()
    expect(sink.messages).toHaveLength(201)
    expect(sink.messages.map(({ params }) => params?.['progress']).slice(0, 200)).toEqual(
      Array.from({ length: 200 }, (_, i) => i + 1),
    )
  })

  it('does not stop the handler when it disconnects', async () => {
    const { stalled, session } = await bench({ streams: { eventStore: false } })
    const { sink, request } = await stalled('polite', 200)
    await settled()
    request.leave()
    await settled()
    expect(sink.messages.length).toBeLessThan(50)
    expect((await session.post({ jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(200)
  })

  it('does not slow down other clients', async () => {
    const { stalled, session } = await bench({})
    await stalled('flood', 50)
    const other = await session.call('flood', { lines: 5 })
    await other.sink.ended()
    expect(numbers(other.sink.messages)).toEqual([0, 1, 2, 3, 4])
  })
})

describe('an event store that is slower than a tool', () => {
  it('causes excess notifications to be dropped with an overflow event, but keeps the response', async () => {
    const memory = new MemoryEventStore()
    let open = (): void => {}
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    const eventStore: EventStore = {
      open: async (...stream) => (await opened, memory.open(...stream)),
      append: async (...events) => memory.append(...events),
      complete: async (...stream) => (await opened, memory.complete(...stream)),
      read: (...position) => memory.read(...position),
      seize: (...stream) => memory.seize(...stream),
      delete: (key) => memory.delete(key),
    }
    const harness = await bench({ limits: { outboundBytes: 100_000 }, streams: { eventStore } })
    const dropped: string[] = []
    harness.server.on('overflow', ({ queue, action }) => void dropped.push(`${queue} ${action}`))
    const { sink, request } = await harness.stalled('flood', 200)
    sink.drain()
    for (let i = 0; i < 4; i++) await settled()
    open()
    await sink.ended()
    const kept = numbers(sink.messages)
    expect(kept).toEqual(Array.from({ length: kept.length }, (_item, i) => i))
    expect(kept.length).toBeLessThan(30)
    expect(dropped).toEqual(Array.from({ length: 200 - kept.length }, () => 'stream drop'))
    expect(sink.messages.at(-1)).toMatchObject({ id: 2, result: { content: [{ text: 'flooded' }] } })
    request.leave()
    const from = sink.events[0]?.id
    const { sink: again } = await harness.session.get({ 'last-event-id': from })
    await again.ended()
    expect(again.messages).toEqual(sink.messages)
  })
})

describe('SseWriter', () => {
  const request = (): FakeRequest => new FakeRequest({ method: 'GET' })

  it('queues chunks in order until the adapter opens the stream', () => {
    const outbound = new SseWriter({ limit: 1_000, overflow: 'drop' })
    for (const chunk of ['a', 'b', 'c']) outbound.write(chunk)
    const sink = new TestSink()
    outbound.open(sink, request())
    outbound.write('d')
    expect([sink.text, sink.writes]).toEqual(['abcd', 2])
  })

  it('joins queued chunks into pieces of up to 1 MiB, and puts notifications last', async () => {
    const chunk = 'x'.repeat(400_000)
    const outbound = new SseWriter({
      limit: 10_000_000,
      overflow: 'drop',
      notices: new CoalescingQueue(10_000_000),
    })
    const pieces: string[] = []
    const drains: (() => void)[] = []
    const write = (piece: string): Promise<void> => {
      pieces.push(piece)
      return new Promise((resolve) => drains.push(resolve))
    }
    outbound.open({ write, close: () => {} }, request())
    outbound.write('first')
    for (let i = 0; i < 6; i++) outbound.write(chunk)
    outbound.notify('notice')
    outbound.writeAlways('x'.repeat(2_000_000))
    outbound.writeAlways('é')
    const waiting = [outbound.waitingBytes]
    for (let drain = drains.shift(); drain !== undefined; drain = drains.shift()) {
      drain()
      await settled()
      waiting.push(outbound.waitingBytes)
      if (waiting.length < 3) outbound.notify('notice')
    }
    expect(pieces.map(({ length }) => length)).toEqual([5, 800_000, 800_000, 800_000, 2_000_000, 7])
    expect(waiting).toEqual([4_400_008, 3_600_008, 2_800_008, 2_000_008, 8, 0, 0])
    expect(pieces.at(-1)).toBe('énotice')
  })

  it('writes all queued pieces before it ends', async () => {
    const outbound = new SseWriter({ limit: 10_000_000, overflow: 'drop' })
    const sink = new TestSink()
    for (let i = 0; i < 3; i++) outbound.writeAlways(`${i}${'x'.repeat(700_000)}`)
    outbound.end()
    outbound.open(sink, request())
    expect([sink.writes, sink.text.length, sink.closed]).toEqual([3, 2_100_003, true])
  })

  it('counts bytes, not characters', () => {
    const outbound = new SseWriter({ limit: 100, overflow: 'drop' })
    outbound.write('é'.repeat(40))
    outbound.write('x'.repeat(21))
    outbound.write('y'.repeat(20))
    const sink = new TestSink()
    outbound.open(sink, request())
    expect(sink.text).toBe('é'.repeat(40) + 'y'.repeat(20))
  })

  it('accepts one chunk that exceeds the limit, but not a second one', () => {
    const outbound = new SseWriter({ limit: 10, overflow: 'drop' })
    outbound.write('x'.repeat(50))
    outbound.write('y')
    const sink = new TestSink()
    outbound.open(sink, request())
    expect(sink.text).toBe('x'.repeat(50))
  })

  it('accepts a response even if the queue is full', () => {
    const outbound = new SseWriter({ limit: 10, overflow: 'drop' })
    outbound.write('x'.repeat(50))
    outbound.writeAlways('response')
    outbound.end()
    const sink = new TestSink()
    outbound.open(sink, request())
    expect(sink.text.endsWith('response')).toBe(true)
    expect(sink.closed).toBe(true)
  })

  it('makes senders wait while the queue is above the high-water mark and the client stays connected', async () => {
    for (const relieve of ['drain', 'leave'] as const) {
      const outbound = new SseWriter({ limit: 1_000_000, overflow: 'drop' })
      const sink = new TestSink()
      const peer = request()
      sink.stall()
      outbound.open(sink, peer)
      outbound.write('first')
      outbound.write('x'.repeat(65_536))
      expect(outbound.pressure()).toBeUndefined()
      outbound.write('x')
      const pressure = outbound.pressure()
      expect(pressure).toBeInstanceOf(Promise)
      if (relieve === 'drain') sink.drain()
      else peer.leave()
      await pressure
    }
  })

  it('releases waiting senders when it ends, even if its queue is full', async () => {
    const outbound = new SseWriter({ limit: 1_000_000, overflow: 'drop' })
    outbound.writeAlways('x'.repeat(65_537))
    const pressure = outbound.pressure()
    outbound.end()
    await pressure
    expect(outbound.pressure()).toBeUndefined()
  })

  it('writes comments only while nothing is queued, and none after it has ended', async () => {
    const outbound = new SseWriter({ limit: 100, overflow: 'drop' })
    const sink = new TestSink()
    outbound.writeIfIdle('not open ')
    outbound.open(sink, request())
    outbound.writeIfIdle('idle ')
    sink.stall()
    outbound.write('stalled ')
    outbound.writeIfIdle('behind ')
    sink.drain()
    await settled()
    outbound.writeIfIdle('idle again')
    outbound.end()
    outbound.writeIfIdle('ended')
    expect(sink.text).toBe('idle stalled idle again')
  })

  it('writes queued notifications before its last chunk', async () => {
    const outbound = new SseWriter({ limit: 100, overflow: 'drop', notices: new CoalescingQueue(100) })
    const sink = new TestSink()
    sink.stall()
    outbound.open(sink, request())
    outbound.write('first ')
    for (const notice of ['notice ', 'notice ', 'other ']) outbound.notify(notice)
    outbound.finish('last')
    expect(sink.text).toBe('first ')
    sink.drain()
    await sink.ended()
    expect(sink.text).toBe('first notice other last')
  })

  it.each([
    [65_535, 0],
    [65_536, 65_536],
  ])(
    'counts a chunk of %i characters in transit as %i bytes until the connection is closed',
    (units, counted) => {
      const queued = new CallerBytes(1_000_000)
      const outbound = new SseWriter({
        limit: 1_000_000,
        overflow: 'drop',
        notices: new CoalescingQueue(1_000_000),
        queued,
      })
      const sink = new TestSink()
      sink.stall()
      outbound.open(sink, request())
      outbound.write('x'.repeat(units))
      expect([outbound.queuedBytes, queued.total]).toEqual([counted, counted])
      outbound.write('1234')
      outbound.notify('56')
      expect([outbound.waitingBytes, queued.total]).toEqual([6, counted + 6])
      outbound.cut()
      expect([outbound.waitingBytes, outbound.queuedBytes, queued.total]).toEqual([0, 0, 0])
    },
  )

  it.each([
    ['client disconnects', (_: SseWriter, peer: FakeRequest) => peer.leave()],
    ['connection is cut', (outbound: SseWriter) => outbound.cut()],
  ])('ends immediately if its %s before the stream is opened', (_, leave) => {
    const gone: SseWriter[] = []
    const open: SseWriter[] = []
    const outbound = new SseWriter({
      limit: 10,
      overflow: 'drop',
      openStreams: { add: (one) => void open.push(one), remove: () => {} },
      onDisconnect: (one) => gone.push(one),
    })
    outbound.write('x')
    const sink = new TestSink()
    const peer = request()
    leave(outbound, peer)
    outbound.open(sink, peer)
    expect([sink.text, sink.closes, gone, open]).toEqual(['', 1, [outbound], []])
  })

  it('treats a client as disconnected if a write to its sink rejects', async () => {
    const outbound = new SseWriter({ limit: 10, overflow: 'drop' })
    let closed = 0
    outbound.open({ write: () => Promise.reject(new Error('reset')), close: () => void closed++ }, request())
    outbound.write('a')
    await settled()
    outbound.write('b')
    outbound.end()
    expect([outbound.ending, closed]).toEqual([true, 1])
  })

  it('reports its end once, even if it is ended repeatedly', () => {
    let gone = 0
    const outbound = new SseWriter({ limit: 10, overflow: 'drop', onDisconnect: () => void gone++ })
    const sink = new TestSink()
    outbound.open(sink, request())
    outbound.end()
    outbound.cut()
    outbound.end()
    outbound.write('late')
    expect([gone, sink.text, sink.closes]).toEqual([1, '', 1])
  })
})
