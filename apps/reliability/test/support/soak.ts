import { setTimeout as pause } from 'node:timers/promises'
import {
  callTool,
  initialize,
  INITIALIZED,
  MODERN,
  requestMeta,
  type Sample,
} from '@jetway-apps/test-support'
import { HEADERS, openSession, post } from '@jetway-apps/test-support/http'
import { startNode } from '@jetway-apps/test-support/processes'
import { program } from '@jetway-tools/runtimes/program'
import type { MountStats } from '@jetway/core/http'
import { sseEvents } from '@jetway/testing'
import { onTestFinished } from 'vitest'

const TARGET = ['--expose-gc', ...program(new URL('../../src/soak-target.ts', import.meta.url))]
const SAMPLE_MS = 5_000
/**
 * The number of concurrent clients. They pause after each step, so that the server is busy about half of the
 * time.
 */
const CLIENTS = 4
const PAUSE_MS = 3

/** The server's current measurements. */
export interface Held {
  readonly rss: number
  readonly heapUsed: number
  /** The 99th percentile of the event loop delay since the start, in ms. */
  readonly delayMs: number
  /** The processor time used since the last measurement, in percent. */
  readonly percent: number
  readonly stats: MountStats
}

export interface Soaked {
  readonly steps: number
  /** The bytes over time, in hours. */
  readonly rss: readonly Sample[]
  readonly heap: readonly Sample[]
  /** The server's mean processor usage, in percent. */
  readonly percent: number
  /**
   * The 99th percentile of the event loop delay, in ms, minus that of an idle process, because other processes
   * delay both.
   */
  readonly delayMs: number
  readonly held: () => Promise<Held>
}

interface Target {
  readonly origin: string
  readonly held: () => Promise<Held>
}

async function start(): Promise<Target> {
  const target = startNode(TARGET)
  onTestFinished(() => void target.stop('SIGKILL'))
  const [, origin = ''] = await target.until(/^(http.*)\n/)
  return { origin, held: async () => (await (await fetch(`${origin}/held`)).json()) as Held }
}

/**
 * Puts load on a server for a given time, with all kinds of client actions, including invalid ones. Rejects
 * at the first incorrect reply.
 */
export async function soak(ms: number): Promise<Soaked> {
  const [{ origin, held }, idle] = await Promise.all([start(), start()])
  const began = performance.now()
  const lasts = (): boolean => performance.now() - began < ms
  let steps = 0
  const work = async (client: number): Promise<void> => {
    for (let turn = client; lasts(); turn++) {
      await STEPS[turn % STEPS.length]?.(origin)
      steps++
      await pause(PAUSE_MS)
    }
  }
  const working = Promise.all(Array.from({ length: CLIENTS }, (_, client) => work(client)))
  const samples: { readonly hours: number; readonly held: Held }[] = []
  const watch = async (): Promise<void> => {
    for (; lasts(); await pause(SAMPLE_MS))
      samples.push({ hours: (performance.now() - began) / 3_600_000, held: await held() })
  }
  await Promise.all([working, watch()])
  return {
    steps,
    rss: samples.map(({ hours, held: { rss } }) => [hours, rss]),
    heap: samples.map(({ hours, held: { heapUsed } }) => [hours, heapUsed]),
    percent: samples.reduce((sum, { held: { percent } }) => sum + percent, 0) / samples.length,
    delayMs: Math.max(0, (await held()).delayMs - (await idle.held()).delayMs),
    held,
  }
}

const TEXT = 'x'.repeat(2_000)
const meta = requestMeta()

async function expectStatus(sent: Promise<Response>, ...statuses: number[]): Promise<string> {
  const response = await sent
  const text = await response.text()
  if (!statuses.includes(response.status))
    throw new Error(`${response.status} instead of ${statuses[0]}: ${text}`)
  return text
}

const modern = (origin: string, name: string, headers = {}): Promise<Response> =>
  post(`${origin}/mcp`, JSON.stringify(callTool(name, { text: TEXT }, { meta })), {
    'mcp-protocol-version': MODERN,
    'mcp-method': 'tools/call',
    'mcp-name': name,
    ...headers,
  })

/** Opens a new session, uses it, and ends it. */
async function inSession(
  origin: string,
  use: (url: string, session: object) => Promise<unknown>,
): Promise<void> {
  const url = `${origin}/mcp`
  const session = await openSession(url)
  await use(url, session)
  await expectStatus(fetch(url, { method: 'DELETE', headers: { ...HEADERS, ...session } }), 200, 204)
}

const report = (url: string, session: object): Promise<Response> =>
  post(
    url,
    JSON.stringify(callTool('report', { text: TEXT }, { id: 2, meta: { progressToken: 1 } })),
    session,
  )

/** Opens a stream, and disconnects after its first chunk. */
async function leave(open: (signal: AbortSignal) => Promise<Response>): Promise<void> {
  const left = new AbortController()
  const response = await open(left.signal)
  await response.body?.getReader().read()
  left.abort()
}

/** Returns the id of the first event, and disconnects. */
async function firstId({ status, headers, body }: Response): Promise<string> {
  const read: string[] = []
  if (body !== null)
    for await (const { id, data } of sseEvents(body)) {
      if (id !== undefined) return id
      read.push(data)
    }
  throw new Error(`No event with an id: ${status} ${headers.get('content-type')} ${read.join('\n')}`)
}

const listening = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'subscriptions/listen',
  params: { notifications: { toolsListChanged: true }, _meta: meta },
})

/** The clients' actions. They are performed in turn. */
const STEPS: readonly ((origin: string) => Promise<unknown>)[] = [
  (origin) => expectStatus(modern(origin, 'echo'), 200),
  (origin) => expectStatus(modern(origin, 'report'), 200),
  (origin) => expectStatus(modern(origin, 'fail'), 200),
  (origin) => expectStatus(post(`${origin}/mcp`, '{"jsonrpc":'), 400),
  (origin) =>
    inSession(origin, async (url, session) => {
      for (const name of ['echo', 'report', 'fail'])
        await expectStatus(post(url, JSON.stringify(callTool(name, { text: TEXT })), session), 200)
      for (const [method, params] of Object.entries(REQUESTS))
        await expectStatus(post(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), session), 200)
    }),
  (origin) =>
    inSession(origin, async (url, session) => {
      const id = await firstId(await report(url, session))
      const headers = { ...HEADERS, ...session, accept: 'text/event-stream', 'last-event-id': id }
      const rest = await expectStatus(fetch(url, { headers }), 200)
      if (!rest.includes(TEXT)) throw new Error('The stream was resumed without its response')
    }),
  (origin) =>
    inSession(origin, async (url, session) => {
      const task = { ...callTool('job', { text: TEXT }).params, task: { ttl: 1_000 } }
      const started = await expectStatus(
        post(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: task }), session),
        200,
      )
      const { taskId } = (JSON.parse(started) as { result: { task: { taskId: string } } }).result.task
      const result = { jsonrpc: '2.0', id: 1, method: 'tasks/result', params: { taskId } }
      await expectStatus(post(url, JSON.stringify(result), session), 200)
    }),
  // The client abandons the session without sending DELETE, either while a stream is open or before
  // `notifications/initialized`.
  async (origin) => {
    const session = await openSession(`${origin}/mcp`)
    const headers = { ...HEADERS, ...session, accept: 'text/event-stream' }
    const left = new AbortController()
    const stream = await fetch(`${origin}/mcp`, { headers, signal: left.signal })
    left.abort()
    await stream.body?.cancel().catch(() => {})
  },
  (origin) => expectStatus(post(`${origin}/mcp`, JSON.stringify(initialize())), 200),
  (origin) =>
    leave((signal) =>
      fetch(`${origin}/mcp`, {
        method: 'POST',
        headers: { ...HEADERS, 'mcp-protocol-version': MODERN, 'mcp-method': 'subscriptions/listen' },
        body: listening,
        signal,
      }),
    ),
  (origin) => leave((signal) => fetch(`${origin}/sse`, { headers: { accept: 'text/event-stream' }, signal })),
  (origin) =>
    expectStatus(post(`${origin}/mcp`, JSON.stringify(INITIALIZED), { 'mcp-session-id': 'unknown' }), 404),
]

const REQUESTS: Readonly<Record<string, object>> = {
  'tools/list': {},
  'resources/read': { uri: 'note://1' },
  'resources/subscribe': { uri: 'note://1' },
  'prompts/get': { name: 'ask', arguments: { about: 'x' } },
}
