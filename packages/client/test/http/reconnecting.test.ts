import { expect, it, onTestFinished, vi } from 'vitest'
import { Client } from '../../src/client/client.ts'
import { http } from '../../src/http/http.ts'
import type { Fetch } from '../../src/http/options.ts'
import { event } from './support/scripted.ts'

const MINUTE = 60_000

const json = (value: object, headers = {}): Response =>
  Response.json({ jsonrpc: '2.0', ...value }, { headers })

/** Returns an event stream that ends after the given time. */
const stream = (text: string, ms = 0): Response => {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text))
      if (ms === 0) controller.close()
      else setTimeout(() => controller.close(), ms)
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

const HANDSHAKE = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 's', version: '1' },
}

interface Script {
  /** Replies to each GET request. */
  readonly get: () => Response | Promise<Response>
  /** Replies to a call. */
  readonly call?: () => Response
}

/** Connects with a `fetch` that counts GET requests, and with fake timers. */
async function connected({ get, call = () => stream('') }: Script) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const gets = vi.fn<() => Response | Promise<Response>>(get)
  const fetch: Fetch = async (_url, { method, body }) => {
    if (method === 'GET') return gets()
    if (method === 'DELETE') return new Response(null, { status: 405 })
    const message = JSON.parse(body as string) as { readonly id?: number; readonly method: string }
    if (message.method === 'initialize') return json({ id: message.id, result: HANDSHAKE })
    return message.id === undefined ? new Response(null, { status: 202 }) : call()
  }
  const client = new Client({ name: 'c', version: '1' }, { eras: false, revisions: ['2025-11-25'] })
  onTestFinished(() => client.close())
  await client.connect(http('http://127.0.0.1/mcp', { fetch }))
  return { client, gets }
}

const CHANGED = event({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })

it.for<[string, Script['get']]>([
  ['asks for no delay', () => stream('id: 1\nretry: 0\ndata:\n\n')],
  ['asks for a delay beyond the limit of timers', () => stream(`retry: ${2 ** 31}\n\n`)],
  ['asks for an infinite delay', () => stream(`retry: ${'9'.repeat(400)}\n\n`)],
  ['sends comments only', () => stream(': hello\n\n')],
  ['refuses with 503', () => new Response('busy', { status: 503 })],
  ['refuses with 429', () => new Response('busy', { status: 429 })],
  ['cannot be reached', () => Promise.reject(new TypeError('fetch failed'))],
])("a session's stream reconnects at most 10 times a minute to a server that %s", async ([, get]) => {
  const { client, gets } = await connected({ get })
  await vi.advanceTimersByTimeAsync(MINUTE)
  expect(gets.mock.calls.length).toBeGreaterThan(0)
  expect(gets.mock.calls.length).toBeLessThanOrEqual(10)
  // However, the client never waits for longer than 72 minutes.
  await vi.advanceTimersByTimeAsync(2 * 60 * MINUTE)
  expect(gets.mock.calls.length).toBeGreaterThan(1)
  await client.close()
})

it("a call's stream is resumed at most 10 times a minute", async () => {
  const empty = (): Response => stream('id: 1\nretry: 0\ndata:\n\n')
  let answered = false
  const { client, gets } = await connected({
    call: empty,
    get: () => (answered ? stream(event({ jsonrpc: '2.0', id: 2, result: { content: [] } })) : empty()),
  })
  gets.mockClear()
  const called = client.callTool('x', {}, { timeoutMs: 10 * MINUTE, maxTotalMs: 10 * MINUTE })
  await vi.advanceTimersByTimeAsync(MINUTE)
  // The session's own stream makes half of these requests.
  expect(gets.mock.calls.length).toBeLessThanOrEqual(20)
  answered = true
  await vi.advanceTimersByTimeAsync(MINUTE)
  expect(await called).toEqual({ content: [] })
})

it('the first reconnect waits for the delay that the server sets, plus up to 20 %', async () => {
  const { gets } = await connected({ get: () => stream('retry: 5000\n\n') })
  await vi.advanceTimersByTimeAsync(4_999)
  expect(gets).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(1_001)
  expect(gets).toHaveBeenCalledTimes(2)
})

it.for<[string, Script['get'], number]>([
  ['delivered a message', () => stream(`retry: 1000\n\n${CHANGED}`), 50],
  ['stayed open', () => stream(': quiet\n\n', 40_000), 14],
])('a connection that %s does not count as a failure', async ([, get, times]) => {
  const { gets } = await connected({ get })
  await vi.advanceTimersByTimeAsync(10 * MINUTE)
  expect(gets.mock.calls.length).toBeGreaterThanOrEqual(times)
})
