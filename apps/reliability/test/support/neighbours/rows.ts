import { callTool, INITIALIZED, initialize, settled } from '@jetway-apps/test-support'
import type { ServerOptions } from '@jetway/core'
import type { EndpointOptions } from '@jetway/core/http'
import { MemoryEventStore, MemoryTaskStore } from '@jetway/core/stores'
import { expect, onTestFinished, vi } from 'vitest'
import { list, type Web } from '../limits/row.ts'
import { ask, asked, callOf, endTask, leftStream, resumed, startTask, type Who, type World } from './world.ts'

/** A limit that a single caller can reach. */
export interface Shared {
  readonly limit: string
  readonly server?: () => ServerOptions
  readonly mount?: () => EndpointOptions
  /** Uses up the limit. Returns the outcome of the last attempt. */
  readonly fill: (world: World, who: Who) => Promise<unknown>
  /** The outcome that shows that the limit has been reached. */
  readonly full: unknown
  /** Whether an anonymous caller at another address remains unaffected when anonymous callers reach the limit. */
  readonly sparesAddresses?: true
}

const BUSY = { code: -32603, message: expect.stringMatching(/busy|Too many/) }

/** Starts calls that never end. Returns the error of one more call. */
async function pile(
  start: () => Promise<{ readonly body: { readonly error?: unknown } }>,
  count: number,
): Promise<unknown> {
  for (let i = 0; i < count; i++) start().catch(() => {})
  await settled()
  return (await start()).body.error
}

/** Sends bodies without their last byte. */
function unfinished(bytes: number): ReadableStream {
  return new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(bytes).fill(32)) })
}

const CALL_LIMITS = { running: 2, inFlight: 4 }

/** The limits that apply to one principal, and to all anonymous callers. */
export const ROWS: readonly Shared[] = [
  {
    limit: 'calls in flight of a session',
    server: () => ({ limits: CALL_LIMITS }),
    async fill({ web }, who) {
      const session = await web.open(who)
      return pile(() => callOf(web, session, 'wait'), 4)
    },
    full: BUSY,
  },
  {
    limit: 'calls in flight without a session',
    server: () => ({ limits: { ...CALL_LIMITS, anonymous: CALL_LIMITS } }),
    fill: ({ web }, who) => pile(() => web.modern('tools/call', { name: 'wait' }, who), 4),
    full: BUSY,
  },
  {
    limit: 'sessions',
    mount: () => ({ sessions: { max: 8, maxPerPrincipal: 4 } }),
    async fill({ web }, who) {
      for (let i = 0; i < 8; i++) await web.send('GET', await web.open(who))
      return (await web.post(initialize(), who)).status
    },
    full: 503,
  },
  {
    limit: 'open subscriptions',
    mount: () => ({ limits: { subscriptions: { max: 4, maxPerPrincipal: 3 } } }),
    async fill({ web }, who) {
      for (let i = 0; i < 4; i++) await web.modern('subscriptions/listen', { notifications: {} }, who)
      return (await web.modern('subscriptions/listen', { notifications: {} }, who)).status
    },
    full: 503,
  },
  {
    limit: 'streams whose events are stored',
    mount: () => ({ streams: { eventStore: new MemoryEventStore({ maxStreamsPerSession: 3 }) } }),
    async fill({ web }, who) {
      const session = await web.open(who)
      const first = await leftStream(web, session)
      for (let i = 0; i < 5; i++) await leftStream(web, session)
      return resumed(web, session, first)
    },
    full: 400,
  },
  {
    limit: 'bytes of stored events',
    mount: () => ({ streams: { eventStore: new MemoryEventStore({ maxTotalBytes: 20_000 }) } }),
    async fill({ web }, who) {
      const sessions = await Promise.all(list(10, () => web.open(who)))
      const cursors = await Promise.all(sessions.map((session) => leftStream(web, session, 3_000)))
      return resumed(web, sessions[0] ?? {}, cursors[0] ?? '')
    },
    full: 400,
  },
  {
    limit: 'subscriptions to resources of a session',
    async fill({ web }, who) {
      const session = await web.open(who)
      for (let i = 0; i < 1_024; i++) await ask(web, session, 'resources/subscribe', { uri: `a://${i}` })
      return (await ask(web, session, 'resources/subscribe', { uri: 'a://more' })).body.error
    },
    full: { code: -32602 },
  },
  {
    limit: 'running tasks',
    server: () => ({ limits: { running: 2, anonymous: { running: 3, inFlight: 100 } } }),
    async fill({ web }, who) {
      const sessions = await Promise.all(list(5, () => web.open(who)))
      for (const session of sessions) await startTask(web, session, 'long_job')
      return (await callOf(web, sessions[0] ?? {}, 'long_job', { task: {} })).body.error
    },
    full: BUSY,
  },
  {
    limit: 'tasks that have ended',
    server: () => ({ tasks: { store: new MemoryTaskStore({ max: 4, maxPerOwner: 100 }) } }),
    fill: ({ web }, who) => tasksEnd(web, who, 8),
    full: { code: -32602 },
  },
  {
    limit: 'bytes of tasks',
    server: () => ({ tasks: { store: new MemoryTaskStore({ maxBytes: 10_000 }) } }),
    fill: ({ web }, who) => tasksEnd(web, who, 8, 3_000),
    full: { code: -32602 },
  },
  {
    limit: 'bytes of bodies that are being read',
    mount: () => ({ limits: { bodyBytes: 1_000 } }),
    async fill({ web }, who) {
      // For a principal, the newest body is refused. For anonymous callers, the server stops reading the oldest
      // body.
      const statuses = list(34, async () => (await web.send('POST', who, unfinished(999))).status)
      return Promise.race(statuses)
    },
    full: 503,
    sparesAddresses: true,
  },
  {
    limit: 'bytes of replies that nobody reads',
    mount: () => ({ limits: { queuedBytes: 400_000 } }),
    async fill({ web, stats }, who) {
      const session = await web.open(who)
      const call = callTool('talk', { bytes: 150_000 }, { id: 7, meta: { progressToken: 1 } })
      for (let i = 0; i < 3; i++) {
        const unread = await web.send('POST', session, JSON.stringify(call))
        onTestFinished(() => unread.body?.cancel())
      }
      await settled()
      // For a principal, further calls are refused. For anonymous callers, the oldest stream is closed.
      return (await callOf(web, session, 'answer')).status === 503 || stats().openStreams < 3
    },
    full: true,
    sparesAddresses: true,
  },
  {
    limit: 'used states of calls',
    server: () => ({ requestState: { singleUse: true, maxUsed: 4 } }),
    async fill({ web }, who) {
      const [first, ...others] = await Promise.all(list(6, () => asked(web, who)))
      for (const answer of others) await answer()
      return (await first?.())?.body.error
    },
    full: { code: -32602 },
  },
  {
    limit: 'questions that wait',
    async fill({ web, refusedQuestions }, who) {
      const opened = await web.post(initialize(undefined, { capabilities: { roots: {} } }), who)
      const session = { ...who, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
      await web.post(INITIALIZED, session)
      void callOf(web, session, 'ask_live', { arguments: { times: 66 } })
      await vi.waitFor(() => expect(refusedQuestions()).toBeGreaterThan(0))
      return refusedQuestions()
    },
    full: 2,
  },
  {
    limit: 'streams that nobody reads',
    mount: () => ({ limits: { outboundBytes: 50_000 } }),
    async fill({ web, stats }, who) {
      const session = await web.open(who)
      const call = callTool('flood', {}, { id: 7, meta: { progressToken: 1 } })
      for (let i = 0; i < 10; i++) {
        const unread = await web.send('POST', session, JSON.stringify(call))
        onTestFinished(() => unread.body?.cancel())
      }
      await settled()
      return stats().openStreams
    },
    full: 10,
  },
]

/** Completes `count` tasks. Returns the outcome of a request for the first one. */
async function tasksEnd(web: Web, who: Who, count: number, bytes = 1): Promise<unknown> {
  const sessions = await Promise.all(list(count, () => web.open(who)))
  const [first = {}] = sessions
  const taskId = await endTask(web, first, 'job', { bytes })
  for (const session of sessions) await endTask(web, session, 'job', { bytes })
  return (await ask(web, first, 'tasks/get', { taskId })).body.error
}
