import { callTool, FakeClock, ping } from '@jetway-apps/test-support'
import { MemoryEventStore, MemoryTaskStore } from '@jetway/core/stores'
import { MemorySessionStore } from '@jetway-apps/test-support/stores'
import { createServer, type Limit, list, peer, web } from './row.ts'

type EventLimits = Omit<NonNullable<ConstructorParameters<typeof MemoryEventStore>[0]>, 'clock' | 'random'>

/** The reply stream of one tool call. */
interface Reply {
  /** The messages. The last one is the response. */
  readonly frames: readonly string[]
  /** Resumes the stream after its first event with a GET request. Returns the status. */
  readonly resume: () => Promise<number>
}

/** Opens a session with a tool that logs strings and then returns one. */
async function streaming(limits: EventLimits): Promise<{
  readonly clock: FakeClock
  readonly call: (logged: readonly string[], returned?: string) => Promise<Reply>
}> {
  const clock = new FakeClock()
  const server = createServer({ clock, limits: { maxResultBytes: 10_000_000 } })
  let say: readonly string[] = []
  let give = ''
  server.addTool({
    name: 'say',
    handler: (_args, ctx) => {
      for (const text of say) ctx.log.info(text)
      return give
    },
  })
  const client = web(server, {
    response: 'sse',
    streams: { eventStore: new MemoryEventStore({ clock, ...limits }) },
  })
  const session = await client.open()
  return {
    clock,
    async call(logged, returned = '') {
      say = logged
      give = returned
      const text = await (await client.send('POST', session, JSON.stringify(callTool('say')))).text()
      const frames = Array.from(text.matchAll(/^data: (.+)$/gm), ([, frame]) => frame!)
      const [, id = ''] = /^id: (.*)$/m.exec(text) ?? []
      return {
        frames,
        async resume() {
          const { status, body } = await client.send('GET', { ...session, 'last-event-id': id })
          await body?.cancel()
          return status
        },
      }
    },
  }
}

/** Returns whether a stream with `count` events before its response can be resumed. */
async function afterEvents(count: number): Promise<unknown> {
  const { call } = await streaming({ maxEvents: 3 })
  return (await call(list(count, String))).resume()
}

/** Returns whether a stream can be resumed if its two events have `bytes` bytes in total. */
async function afterBytes(bytes: number): Promise<unknown> {
  const { call } = await streaming({ maxBytes: 2_000 })
  const [event = ''] = (await call([''])).frames
  return (await call(['', 'x'.repeat(bytes - 2 * event.length)])).resume()
}

/** Returns whether a stream can be resumed if its response has `bytes` bytes. */
async function afterResponse(limits: EventLimits, bytes: number): Promise<unknown> {
  const { call } = await streaming(limits)
  const response = (await call([])).frames.at(-1) ?? ''
  return (await call([], 'x'.repeat(bytes - response.length))).resume()
}

/** Returns whether a stream can be resumed `ms` after it has ended. */
async function afterTime(ms: number): Promise<unknown> {
  const { clock, call } = await streaming({ ttlMs: 1_000 })
  const { resume } = await call(['a'])
  await clock.advance(ms)
  return resume()
}

/** Returns whether the first of `count` streams can be resumed. */
async function afterStreams(count: number): Promise<unknown> {
  const { call } = await streaming({ maxStreamsPerSession: 3 })
  const [first] = await Promise.all(list(count, () => call(['a'])))
  return first?.resume()
}

/** Returns whether the first of two streams can be resumed if their responses have `bytes` bytes in total. */
async function afterTotal(bytes: number): Promise<unknown> {
  const { call } = await streaming({ maxTotalBytes: 2_000 })
  const first = await call([])
  const size = first.frames.at(-1)?.length ?? 0
  await call([], 'x'.repeat(bytes - 2 * size))
  return first.resume()
}

/**
 * Opens `count` sessions. Returns the status of a ping in the first one, on a different mount with the same
 * store.
 */
async function restored(count: number): Promise<unknown> {
  const store = new MemorySessionStore({ max: 3 })
  const [here, there] = [1, 2].map(() => web(createServer(), { sessions: { store } }))
  const first = await here!.open()
  for (let i = 1; i < count; i++) await here!.open()
  return (await there!.post(ping(), first)).status
}

/**
 * Starts two tasks in a store. Half of its `maxBytes` is too small for a task by `missing` bytes. Returns the
 * second response.
 */
async function tasks(missing: number): Promise<unknown> {
  const twice = async (store: MemoryTaskStore): Promise<unknown> => {
    const server = createServer({ clock: new FakeClock(), tasks: { store } })
    server.addTool({ name: 'wait', taskSupport: 'required', handler: () => new Promise(() => {}) })
    const connection = await peer(server)
    const params = { name: 'wait', arguments: {}, task: {} }
    await connection.request('tools/call', params)
    return connection.request('tools/call', params)
  }
  const both = new MemoryTaskStore()
  await twice(both)
  return twice(new MemoryTaskStore({ maxBytes: 2 * both.bytes - missing }))
}

const HELD = { accepted: 200, refused: 400 }

export const STORES: readonly Limit[] = [
  { limit: 'maxEvents of MemoryEventStore', most: 3, use: afterEvents, ...HELD },
  { limit: 'maxBytes of MemoryEventStore', most: 2_000, use: afterBytes, ...HELD },
  {
    limit: 'maxFinalBytes of MemoryEventStore',
    most: 2_000,
    use: (bytes) => afterResponse({ maxFinalBytes: 2_000 }, bytes),
    ...HELD,
  },
  {
    limit: 'maxFinalBytes of MemoryEventStore, by default',
    most: 8_396_800,
    use: (bytes) => afterResponse({}, bytes),
    ...HELD,
  },
  { limit: 'ttlMs of MemoryEventStore', most: 1_000, use: afterTime, ...HELD },
  { limit: 'maxStreamsPerSession of MemoryEventStore', most: 3, use: afterStreams, ...HELD },
  { limit: 'maxTotalBytes of MemoryEventStore', most: 2_000, use: afterTotal, ...HELD },
  {
    limit: 'max of MemorySessionStore',
    most: 3,
    use: restored,
    accepted: 200,
    refused: 404,
  },
  {
    limit: 'half of maxBytes of MemoryTaskStore, for the tasks of one caller',
    most: 0,
    use: tasks,
    accepted: { result: {} },
    refused: { error: { code: -32603 } },
  },
]
