import { deferred, settled } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { EndpointOptions } from '../../../src/http/options.ts'
import { McpServer } from '../../../src/index.ts'
import type { EventStore } from '../../../src/stores/event-store.ts'
import { MemoryEventStore } from '../../../src/stores/memory-event-store.ts'
import {
  type Answer,
  createHarness,
  type Harness,
  type Message,
  type TestSession,
} from '../support/harness.ts'
import { addCount, createSteps } from '../support/steps.ts'

interface Bench extends Harness {
  readonly session: TestSession
  /** Lets every running call of the `count` tool take one step. */
  readonly step: () => Promise<void>
}

/** A tool that reports 1, 2, 3 … up to `to`, one number for each step of the test. */
async function bench(endpoint: EndpointOptions = {}, version = '2025-11-25'): Promise<Bench> {
  const steps = createSteps()
  const setUp = (server: McpServer): void => {
    addCount(server, steps)
    server.addTool({
      name: 'poll',
      inputSchema: z.object({
        times: z.number(),
        retryMs: z.number().optional(),
        after: z.boolean().optional(),
      }),
      handler: async ({ times, retryMs, after }, ctx) => {
        for (let i = 1; i <= times; i++) {
          ctx.closeConnection(retryMs === undefined ? {} : { retryMs })
          await steps.next()
          await ctx.progress(i)
        }
        if (after === true) void Promise.resolve().then(() => ctx.closeConnection())
        return 'polled'
      },
    })
  }
  const harness = createHarness({ endpoint, setUp })
  const session = await harness.open({ version })
  return { ...harness, session, step: steps.step }
}

const count = (session: TestSession, to: number, id: string | number = 2): Promise<Answer> =>
  session.call('count', { to }, { id, progressToken: 'p' })
const progress = (messages: readonly Message[]): unknown[] =>
  messages.map(({ params, result }) => params?.['progress'] ?? result !== undefined)
const bytes = ({ status, headers, text }: Answer): string => JSON.stringify([status, headers, text])
const lastId = (answer: Answer): string => answer.sink.events.at(-1)?.id ?? 'none'

/** Starts a count and takes its first step, which turns its reply into a stream. */
async function streaming(
  to: number,
  endpoint: EndpointOptions = {},
  version?: string,
): Promise<Bench & { readonly first: Answer }> {
  const ready = await bench(endpoint, version)
  const pending = count(ready.session, to)
  await settled()
  await ready.step()
  return { ...ready, first: await pending }
}

/** An asynchronous store, like one on a network. */
function slowly(store: EventStore): EventStore {
  return {
    open: async (...stream) => (await settled(), store.open(...stream)),
    append: async (...events) => (await settled(), store.append(...events)),
    complete: async (...stream) => (await settled(), store.complete(...stream)),
    read: async (...position) => (await settled(), store.read(...position)),
    seize: async (...stream) => (await settled(), store.seize(...stream)),
    delete: async (key) => (await settled(), store.delete(key)),
  }
}

describe('a resumable stream', () => {
  it('starts with an id, empty data and a retry time if the revision allows empty events', async () => {
    const { first } = await streaming(1)
    await first.sink.ended()
    const [primer, ...rest] = first.sink.events
    expect(primer).toMatchObject({ data: '', retry: '1000' })
    expect(primer?.id).toMatch(/^[\w-]+\.[\w-]+\.0$/)
    expect(rest.map(({ id }) => id?.split('.').at(-1))).toEqual(['1', '2'])
  })

  it.each(['2025-03-26', '2025-06-18'])(
    'has ids but no empty event in %s, because clients would try to parse an empty event',
    async (version) => {
      const { first } = await streaming(1, {}, version)
      await first.sink.ended()
      expect(first.sink.events.map(({ id, data }) => [id?.split('.').at(-1), data === ''])).toEqual([
        ['1', false],
        ['2', false],
      ])
    },
  )

  it('has event ids that are unique within the session', async () => {
    const { session, step } = await bench()
    const pending = [1, 2, 3].map((id) => count(session, 4, id))
    await settled()
    for (let i = 0; i < 5; i++) await step()
    const answers = await Promise.all(pending)
    const ids = answers.flatMap(({ sink }) => sink.events.map(({ id }) => id))
    expect(ids).toHaveLength(3 * 6)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it.each([
    ['the default limits', {}, 8_388_000],
    ['a larger server limit', { server: { limits: { maxResultBytes: 10_000_000 } } }, 9_999_000],
    ['a larger body limit', { endpoint: { limits: { bodyBytes: 9_000_000 } } }, 8_388_000],
    ['a selected server', { chosen: true }, 8_388_000],
  ] as const)('can carry the largest possible response, with %s', async (_, options, size) => {
    const { chosen, ...rest } = { chosen: false, ...options }
    const server = new McpServer({ name: 'large', version: '1' }, 'server' in rest ? rest.server : {})
    server.addTool({
      name: 'large',
      handler: async (_args, ctx) => {
        await ctx.progress(1)
        return 'x'.repeat(size)
      },
    })
    const harness = createHarness({ ...rest, select: chosen ? () => server : (server as never) })
    const session = await harness.open({ version: '2025-11-25' })
    const id = 'i'.repeat(1_024)
    const first = await session.call('large', {}, { id, progressToken: 'p' })
    await first.sink.ended()
    const missed = await session.get({ 'last-event-id': first.sink.events[1]?.id })
    await missed.sink.ended()
    const [message] = missed.sink.messages
    expect([message?.id, JSON.stringify(message?.result).length > size]).toEqual([id, true])
  })
})

describe.each([
  ['in this process', (): EndpointOptions => ({})],
  ['over a network', (): EndpointOptions => ({ streams: { eventStore: slowly(new MemoryEventStore()) } })],
])('a client that resumes a stream, with events stored %s', (_, endpoint) => {
  it('receives each missed event once and in order, and then new events', async () => {
    const { first, session, step } = await streaming(5, endpoint())
    await first.sink.until(() => first.sink.messages.length === 1)
    first.request.leave()
    await step()
    await step()
    const second = await session.get({ 'last-event-id': lastId(first) })
    expect(second.status).toBe(200)
    await step()
    await step()
    await second.sink.ended()
    expect(progress(first.sink.messages)).toEqual([1])
    expect(progress(second.sink.messages)).toEqual([2, 3, 4, 5, true])
  })

  it('receives the response if the call has ended', async () => {
    const { first, session, step } = await streaming(2, endpoint())
    await first.sink.until(() => first.sink.messages.length === 1)
    first.request.leave()
    await step()
    await step()
    for (let i = 0; i < 10; i++) await settled()
    const second = await session.get({ 'last-event-id': lastId(first) })
    await second.sink.ended()
    expect(progress(second.sink.messages)).toEqual([2, true])
    const after = await session.get({ 'last-event-id': lastId(second) })
    expect(after.status).toBe(400)
  })

  it('can resume while its old connection is still open, and thereby closes the old connection', async () => {
    const { first, session, step } = await streaming(3, endpoint())
    await first.sink.until(() => first.sink.messages.length === 1)
    const second = await session.get({ 'last-event-id': lastId(first) })
    await first.sink.ended()
    await step()
    await step()
    await second.sink.ended()
    expect(progress([...first.sink.messages, ...second.sink.messages])).toEqual([1, 2, 3, true])
  })

  it('receives everything exactly once, however often the connection is cut', async () => {
    const steps = 60
    const { first, session, step } = await streaming(steps, endpoint())
    const seen: Message[] = []
    let from = 'none'
    let current = first
    const take = (): void => {
      seen.push(...current.sink.messages)
      from = current.sink.events.at(-1)?.id ?? from
    }
    for (let i = 1; !current.sink.closed; i++) {
      if (i % 3 === 0) {
        current.request.leave()
        take()
        // The tool takes its next step while the client resumes.
        const [, answer] = await Promise.all([step(), session.get({ 'last-event-id': from })])
        current = answer
      } else {
        await step()
      }
    }
    take()
    expect(progress(seen)).toEqual([...Array.from({ length: steps }, (_item, i) => i + 1), true])
  })

  it('receives an id to resume from, even if it has not missed anything', async () => {
    const { first, session } = await streaming(3, endpoint())
    await first.sink.until(() => first.sink.messages.length === 1)
    const second = await session.get({ 'last-event-id': lastId(first) })
    await second.sink.until(() => second.sink.events.length === 1)
    expect(second.sink.events).toEqual([{ id: lastId(first), data: '' }])
    const third = await session.get({ 'last-event-id': lastId(second) })
    expect(third.status).toBe(200)
  })
})

describe.each([
  ['in this process', (): EndpointOptions => ({})],
  ['over a network', (): EndpointOptions => ({ streams: { eventStore: slowly(new MemoryEventStore()) } })],
])('ctx.closeConnection with events stored %s', (_, endpoint) => {
  it('lets the handler continue while the client polls for the remaining events', async () => {
    const { session, step } = await bench(endpoint())
    const first = await session.call('poll', { times: 2, retryMs: 250 }, { progressToken: 'p' })
    await first.sink.ended()
    expect(first.sink.messages).toEqual([])
    expect(first.sink.events.map(({ data, retry }) => [data, retry])).toEqual([
      ['', '1000'],
      ['', '250'],
    ])
    const second = await session.get({ 'last-event-id': lastId(first) })
    await step()
    await second.sink.ended()
    expect(progress(second.sink.messages)).toEqual([1])
    expect(second.sink.events.at(-1)).toMatchObject({ data: '', retry: '250' })
    await step()
    // The call ends while no client is connected.
    for (let i = 0; i < 10; i++) await settled()
    const third = await session.get({ 'last-event-id': lastId(second) })
    await third.sink.ended()
    expect(progress(third.sink.messages)).toEqual([2, true])
  })

  it("sends the mount's retry time by default", async () => {
    const { session } = await bench({ streams: { ...endpoint().streams, retryMs: 77 } })
    const first = await session.call('poll', { times: 1 })
    await first.sink.ended()
    expect(first.sink.events.at(-1)).toMatchObject({ data: '', retry: '77' })
  })
})

describe('ctx.closeConnection for a client that cannot resume', () => {
  const polled = async (endpoint: EndpointOptions, version?: string): Promise<Answer> => {
    const { session, step } = await bench(endpoint, version)
    const pending = session.call('poll', { times: 1, after: true })
    await settled()
    await step()
    return pending
  }

  it.each<[string, EndpointOptions, string?]>([
    ['there is no event store', { streams: { eventStore: false } }],
    ['the mount sends only JSON replies', { response: 'json' }],
    ['the revision does not support it', {}, '2025-06-18'],
  ])('does nothing if %s', async (_, endpoint, version) => {
    const answer = await polled(endpoint, version)
    expect(answer.headers['content-type']).toBe('application/json')
    expect(answer.json.result?.['content']).toEqual([{ type: 'text', text: 'polled' }])
  })

  it('does not close an open stream', async () => {
    const { session, step } = await bench({ response: 'sse' }, '2025-06-18')
    const pending = session.call('poll', { times: 1 }, { progressToken: 'p' })
    await settled()
    const answer = await pending
    expect(answer.sink.closed).toBe(false)
    await step()
    await answer.sink.ended()
    expect(progress(answer.sink.messages)).toEqual([1, true])
  })

  it.each([-1, 0.5, 2 ** 31])('rejects a retry time of %s ms', async (retryMs) => {
    const { session, log } = await bench()
    const answer = await session.call('poll', { times: 1, retryMs })
    expect(answer.json.result?.['isError']).toBe(true)
    expect(log.map(({ fields }) => String((fields as { readonly err?: unknown }).err)).join()).toContain(
      'retryMs must be',
    )
  })
})

describe('the GET stream', () => {
  it('resumes with the missed change notifications', async () => {
    const { session, server } = await bench()
    const first = await session.get()
    server.addTool({ name: 'a', handler: () => '' })
    await settled()
    first.request.leave()
    server.addTool({ name: 'b', handler: () => '' })
    await settled()
    const second = await session.get({ 'last-event-id': lastId(first) })
    server.addTool({ name: 'c', handler: () => '' })
    await settled()
    expect(second.sink.messages.map(({ method }) => method)).toEqual([
      'notifications/tools/list_changed',
      'notifications/tools/list_changed',
    ])
    expect(second.sink.closed).toBe(false)
  })

  it('starts again without Last-Event-ID, and drops earlier events', async () => {
    const { session } = await bench()
    const first = await session.get()
    const from = lastId(first)
    await session.get()
    expect((await session.get({ 'last-event-id': from })).status).toBe(400)
  })

  it('stays open when another stream is resumed', async () => {
    const { session, first } = await streaming(3)
    const standalone = await session.get()
    first.request.leave()
    await session.get({ 'last-event-id': lastId(first) })
    expect(standalone.sink.closed).toBe(false)
  })
})

describe('an unknown Last-Event-ID', () => {
  const secret = { auth: { principal: 'alice' } }

  it('causes the same reply, regardless of why it is unknown', async () => {
    const { first, session, open, step, send } = await streaming(30, {
      streams: { eventStore: new MemoryEventStore({ maxEvents: 5 }) },
    })
    const own = lastId(first)
    for (let i = 0; i < 10; i++) await step()
    const [stream = '', epoch = ''] = own.split('.')
    const other = await open({ version: '2025-11-25' })
    const foreign = await open({ version: '2025-11-25', more: secret })
    const forged = [
      'x',
      '../../etc',
      `${stream}.${epoch}.99`,
      `${stream}.other.1`,
      `other.${epoch}.1`,
      `${stream}.${epoch}.-1`,
      `${stream}.${epoch}.01`,
      'a'.repeat(16_384),
      `${stream}.${epoch}.18446744073709551616`,
    ]
    const answers = [
      ...(await Promise.all(forged.map((id) => session.get({ 'last-event-id': id })))),
      await session.get({ 'last-event-id': own }),
      await other.get({ 'last-event-id': lastId(first) }),
      await send({
        method: 'GET',
        headers: { ...foreign.headers, 'last-event-id': lastId(first) },
        ...secret,
      }),
    ]
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 400))
    expect(new Set(answers.map(bytes)).size).toBe(1)
    expect((await session.get({ 'last-event-id': lastId(first) })).status).toBe(200)
  })

  it('is refused if it belongs to another session, even with the same principal and store', async () => {
    const eventStore = new MemoryEventStore()
    const one = await streaming(2, { streams: { eventStore } })
    const two = await streaming(2, { streams: { eventStore } })
    const [first, second] = [lastId(one.first), lastId(two.first)]
    // These steps add events after the ones whose ids were taken.
    await one.step()
    await two.step()
    expect((await two.session.get({ 'last-event-id': first })).status).toBe(400)
    expect((await one.session.get({ 'last-event-id': second })).status).toBe(400)
    expect((await one.session.get({ 'last-event-id': first })).status).toBe(200)
  })

  it('is refused if no events are stored', async () => {
    const { first, session } = await streaming(2, { streams: { eventStore: false } })
    expect(first.sink.events.map(({ id }) => id)).toEqual([undefined])
    expect((await session.get({ 'last-event-id': 'a.b.1' })).status).toBe(400)
  })

  it('is refused after the session has ended', async () => {
    const eventStore = new MemoryEventStore()
    const { first, session } = await streaming(2, { streams: { eventStore } })
    await session.delete()
    expect((await session.get({ 'last-event-id': lastId(first) })).status).toBe(404)
    expect(eventStore.size).toMatchObject({ streams: 0, bytes: 0 })
  })
})

describe('a networked event store', () => {
  /** Returns a store that holds its appends back until `release` is called. */
  function heldBack(): {
    readonly eventStore: EventStore
    readonly sizes: readonly number[]
    readonly release: () => void
  } {
    const memory = new MemoryEventStore()
    const sizes: number[] = []
    const { promise, resolve } = deferred()
    const eventStore: EventStore = {
      ...slowly(memory),
      append: async (...all) => {
        sizes.push(all[2].length)
        await promise
        return memory.append(...all)
      },
    }
    return { eventStore, sizes, release: resolve }
  }

  it.each([
    ['awaits', true],
    ['does not await', false],
  ])(
    'receives ten events sent in the same tick in only two appends, if the handler %s them',
    async (_, awaits) => {
      const { eventStore, sizes, release } = heldBack()
      const setUp = (server: McpServer): void =>
        void server.addTool({
          name: 'burst',
          handler: async (_args, ctx) => {
            for (let i = 1; i <= 10; i++) {
              const sent = ctx.progress(i)
              if (awaits) await sent
            }
            return 'sent all'
          },
        })
      const { open } = createHarness({ endpoint: { streams: { eventStore } }, setUp })
      const session = await open({ version: '2025-11-25' })
      const { sink } = await session.call('burst', {}, { id: 2, progressToken: 'p' })
      await settled()
      // The client receives nothing before it has been stored.
      expect(sink.messages).toEqual([])
      release()
      await sink.ended()
      expect(progress(sink.messages)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, true])
      expect(sizes.length).toBeLessThanOrEqual(2)
    },
  )

  it('makes a handler that awaits its notifications wait until they are stored, and loses none', async () => {
    const { eventStore, release } = heldBack()
    let sent = 0
    const setUp = (server: McpServer): void =>
      void server.addTool({
        name: 'flood',
        handler: async (_args, ctx) => {
          while (sent < 100) await ctx.progress(++sent, 100, 'x'.repeat(10_000))
          return 'sent all'
        },
      })
    const { open } = createHarness({ endpoint: { streams: { eventStore } }, setUp })
    const session = await open({ version: '2025-11-25' })
    const { sink } = await session.call('flood', {}, { id: 2, progressToken: 'p' })
    await settled()
    expect(sent).toBeGreaterThan(1)
    expect(sent).toBeLessThan(20)
    release()
    await sink.ended()
    expect(sink.messages).toHaveLength(101)
  })
})

describe('a failing event store', () => {
  const broken = (): never => {
    throw new Error('store down')
  }

  it.each([
    ['at once', broken],
    ['asynchronously', () => Promise.reject(new Error('store down'))],
  ])('makes a stream continue without event ids if it fails %s', async (_, fail) => {
    const memory = new MemoryEventStore()
    const eventStore: EventStore = { ...slowly(memory), append: fail }
    const { first, step, log, clock } = await streaming(2, { streams: { eventStore } })
    await step()
    await clock.advance(3_000)
    await first.sink.ended()
    expect(progress(first.sink.messages)).toEqual([1, 2, true])
    expect(first.sink.events.filter(({ data }) => data !== '').every(({ id }) => id === undefined)).toBe(true)
    expect(log.some(({ message }) => message.includes('event store failed'))).toBe(true)
  })

  it('delays a stream for up to 3 s, and receives all queued events together once it works again', async () => {
    const memory = new MemoryEventStore()
    const sizes: number[] = []
    let away = true
    const eventStore: EventStore = {
      ...slowly(memory),
      append: async (key, lease, events, options) => {
        if (away) throw new Error('store down')
        sizes.push(events.length)
        return memory.append(key, lease, events, options)
      },
    }
    const { first, step, clock, session } = await streaming(4, { streams: { eventStore } })
    for (let i = 0; i < 3; i++) await step()
    await clock.advance(2_000)
    expect(first.sink.messages).toEqual([])
    away = false
    await clock.advance(1_000)
    await first.sink.ended()
    expect(progress(first.sink.messages)).toEqual([1, 2, 3, 4, true])
    expect(sizes).toHaveLength(2)
    const resumed = await session.get({ 'last-event-id': first.sink.events[2]?.id ?? '' })
    expect(progress(resumed.sink.messages)).toEqual([3, 4, true])
  })

  it('does not affect the server if it cannot delete the events of a cancelled call', async () => {
    const memory = new MemoryEventStore()
    const deleted: string[] = []
    for (const fails of [false, true]) {
      const eventStore: EventStore = {
        ...slowly(memory),
        delete: async (key) => {
          await settled()
          deleted.push(`${key.stream === undefined ? 'session' : 'stream'} ${fails}`)
          if (fails) throw new Error('store down')
          memory.delete(key)
        },
      }
      const { first, session, endpoint } = await streaming(3, { streams: { eventStore } })
      await first.sink.until(() => first.sink.messages.length === 1)
      const { streams } = memory.size
      await session.post({
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: 2 },
      })
      await first.sink.ended()
      expect([streams, memory.size.streams]).toEqual([1, fails ? 1 : 0])
      expect(endpoint.stats().openStreams).toBe(0)
    }
    expect(deleted).toEqual(['stream false', 'stream true'])
  })

  it('receives failed deletions again once it has recovered', async () => {
    const memory = new MemoryEventStore()
    let away = false
    const eventStore: EventStore = {
      ...slowly(memory),
      append: async (...all) => {
        if (away) throw new Error('store down')
        return memory.append(...all)
      },
      delete: async (key) => {
        if (away) throw new Error('store down')
        memory.delete(key)
      },
    }
    const { first, step, clock } = await streaming(3, { streams: { eventStore } })
    await first.sink.until(() => first.sink.messages.length === 1)
    away = true
    await step()
    await clock.advance(10_000)
    expect(memory.size.streams).toBe(1)
    away = false
    await clock.advance(1_000)
    expect(memory.size.streams).toBe(0)
    await step()
    await first.sink.ended()
    expect(progress(first.sink.messages)).toEqual([1, 2, 3, true])
  })

  it('makes streams start without event ids if it cannot open them', async () => {
    const eventStore: EventStore = { ...slowly(new MemoryEventStore()), open: broken }
    const { first, step } = await streaming(2, { streams: { eventStore } })
    await step()
    await first.sink.ended()
    expect(progress(first.sink.messages)).toEqual([1, 2, true])
  })

  it('causes 503 for a client that tries to resume while the store cannot be read', async () => {
    const memory = new MemoryEventStore()
    const eventStore: EventStore = { ...slowly(memory), read: () => Promise.reject(new Error('store down')) }
    const { first, session } = await streaming(3, { streams: { eventStore } })
    await first.sink.until(() => first.sink.messages.length === 1)
    const answer = await session.get({ 'last-event-id': lastId(first) })
    expect([answer.status, answer.text.includes('store down')]).toEqual([503, false])
  })
})

describe('300 streams resumed at the same time', () => {
  it('do not block other clients', async () => {
    const large = 'x'.repeat(100_000)
    const harness = createHarness({
      setUp: (server) =>
        server.addTool({
          name: 'large',
          async handler(_args, ctx) {
            await ctx.progress(1)
            return large
          },
        }),
    })
    const session = await harness.open({ version: '2025-11-25' })
    const called = await session.call('large', {}, { progressToken: 'p' })
    await called.sink.ended()
    const [{ id = '' } = {}] = called.sink.events
    let replayed = 0
    let replayedBefore: number | undefined
    setTimeout(() => (replayedBefore = replayed), 0)
    const resumes = Array.from({ length: 300 }, async () => {
      const { status, sink } = await session.get({ 'last-event-id': id })
      replayed++
      return [status, sink.text.length > large.length]
    })
    expect(new Set((await Promise.all(resumes)).map(String))).toEqual(new Set(['200,true']))
    expect(replayedBefore).toBeLessThan(10)
  })
})
