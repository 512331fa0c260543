import { deferred, settled } from '@jetway-apps/test-support'
import { asks, elicit, inputRequired, type McpServer, type ServerOptions } from '@jetway/core'
import { MemoryTaskStore } from '@jetway/core/stores'
import type { TestConnection } from '@jetway/testing'
import { expect } from 'vitest'
import * as z from 'zod'
import {
  ALICE,
  type Body,
  BY_TOKEN,
  createServer,
  FakeClock,
  type Limit,
  list,
  peer,
  textOf,
  waiting,
  web,
} from './row.ts'

const call = (connection: TestConnection, name: string, args: object = {}): Promise<Body> =>
  connection.request('tools/call', { name, arguments: { ...args } })

/** Starts `count` calls. All except the last one never end on their own. Returns the text of the last one. */
async function inFlight(server: McpServer, count: number): Promise<unknown> {
  const connection = await peer(server)
  for (let i = 1; i < count; i++) call(connection, 'wait').catch(() => {})
  await settled()
  let last: unknown = 'waits'
  void call(connection, 'answer').then(
    (answer) => (last = textOf(answer) ?? answer.error),
    () => {},
  )
  await settled()
  return last
}

/** Starts `count` calls without a session. Returns the text of the last one. */
async function withoutSession(
  options: ServerOptions,
  count: number,
  headers?: Record<string, string>,
): Promise<unknown> {
  const client = web(waiting(options), headers && BY_TOKEN)
  for (let i = 1; i < count; i++) client.modern('tools/call', { name: 'wait' }, headers).catch(() => {})
  await settled()
  let last: unknown = 'waits'
  void client.modern('tools/call', { name: 'answer' }, headers).then(
    ({ body }) => (last = textOf(body) ?? body.error),
    () => {},
  )
  await settled()
  return last
}

/** Returns whether a call is still running after `ms`. */
async function running(limits: object, ms: number): Promise<unknown> {
  const clock = new FakeClock()
  const connection = await peer(waiting({ clock, limits }))
  let state = 'runs'
  void call(connection, 'wait').then(
    (answer) => (state = String(textOf(answer))),
    () => {},
  )
  await settled()
  await clock.advance(ms)
  return state
}

/** Starts `count` tasks that do not end. Returns the response to the last of these calls. */
async function started(options: ServerOptions, count: number): Promise<unknown> {
  const server = createServer(options)
  server.addTool({
    name: 'slow',
    taskSupport: 'optional',
    handler: (_args, { signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  })
  const connection = await peer(server)
  let last: Body = {}
  for (let i = 0; i < count; i++)
    last = await connection.request('tools/call', { name: 'slow', arguments: {}, task: {} })
  return last
}

/** Creates a server with a tool that needs `rounds` rounds of input. */
function asking(limits: object, rounds: number): McpServer {
  const server = createServer({ limits })
  const next = (state = '1'): unknown =>
    Number(state) > rounds
      ? 'enough'
      : inputRequired({ ok: elicit('Sure?', OK) }, { state: `${Number(state) + 1}` })
  server.addTool({ name: 'ask', handler: (_args, { inputs }) => next(inputs.state) as string })
  return server
}

async function asked(limits: object, rounds: number): Promise<unknown> {
  const connection = await peer(asking(limits, rounds), {
    capabilities: { elicitation: { form: {} } },
    onRequest: () => AGREED,
  })
  return textOf(await call(connection, 'ask'))
}

/** Answers the questions of a call in revision 2026-07-28, where answers arrive in a new request. */
async function askedAnew(limits: object, rounds: number): Promise<unknown> {
  const client = web(asking(limits, rounds))
  let answer = (await client.modern('tools/call', { name: 'ask' })).body
  while (answer.result?.requestState !== undefined) {
    const { requestState } = answer.result as { requestState: string }
    answer = (
      await client.modern('tools/call', { name: 'ask', requestState, inputResponses: { ok: AGREED } })
    ).body
  }
  return textOf(answer)
}

/** Calls a tool whose result has `bytes` bytes as JSON. */
async function resultOf(limits: object, bytes: number): Promise<unknown> {
  const server = createServer({ limits })
  const rest = JSON.stringify({ content: [{ type: 'text', text: '' }] }).length
  server.addTool({ name: 'big', handler: () => 'x'.repeat(bytes - rest) })
  return (await call(await peer(server), 'big')).result
}

async function firstPage(count: number): Promise<unknown> {
  const server = createServer({ limits: { pageSize: 3 } })
  for (let i = 0; i < count; i++) server.addTool({ name: `t${i}`, handler: () => '' })
  const { result } = await (await peer(server)).request('tools/list')
  const { tools, nextCursor } = result as { tools: []; nextCursor?: string }
  return { tools: tools.length, more: nextCursor !== undefined }
}

async function completed(values: number): Promise<unknown> {
  const server = createServer()
  server.addPrompt({
    name: 'p',
    arguments: [{ name: 'a' }],
    complete: { a: () => list(values, String) },
    handler: () => '',
  })
  const params = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } }
  const { result } = await (await peer(server)).request('completion/complete', params)
  const { completion } = result as { completion: { values: []; hasMore: boolean } }
  return { sent: completion.values.length, hasMore: completion.hasMore }
}

/** Subscribes to `count` resources in a session. */
async function subscribed(count: number): Promise<unknown> {
  const server = createServer()
  server.addResourceTemplate({ uriTemplate: 'a://{b}', name: 'a', handler: () => '' })
  const connection = await peer(server)
  let last: Body = {}
  for (let i = 0; i < count; i++) last = await connection.request('resources/subscribe', { uri: `a://${i}` })
  return last
}

async function listening(uris: readonly string[]): Promise<unknown> {
  const server = createServer()
  server.addResourceTemplate({ uriTemplate: 'a://{b}', name: 'a', handler: () => '' })
  const connection = await peer(server, { revision: '2026-07-28' })
  let answer: Body | string = 'open'
  const notifications = { resourceSubscriptions: uris }
  connection.request('subscriptions/listen', { notifications }).then(
    (refused) => (answer = refused),
    () => {},
  )
  await settled()
  return answer
}

async function read(uri: string): Promise<unknown> {
  const server = createServer()
  server.addResourceTemplate({ uriTemplate: 'a://{b}', name: 'a', handler: () => 'read' })
  return (await peer(server)).request('resources/read', { uri })
}

async function openSubscriptions(count: number): Promise<unknown> {
  const connection = await peer(createServer({ limits: { subscriptions: 3 } }), { revision: '2026-07-28' })
  const answers: Body[] = []
  for (let i = 0; i < count; i++)
    void connection.request('subscriptions/listen', { notifications: {} }).then(
      (answer) => answers.push(answer),
      () => {},
    )
  await settled()
  return answers.map(({ error }) => error?.code)
}

/**
 * Returns how many of `count` pending questions are refused. They belong to a call, or to a task whose result
 * no request is waiting for.
 */
async function openQuestions(count: number, task?: object): Promise<unknown> {
  const server = createServer()
  let refused = 0
  server.addTool({
    name: 'ask',
    taskSupport: 'optional',
    async handler(_args, ctx) {
      await Promise.all(list(count, () => ctx.listRoots().catch(() => refused++)))
      return ''
    },
  })
  const connection = await peer(server, {
    capabilities: { roots: {} },
    onRequest: () => new Promise(() => {}),
  })
  connection.request('tools/call', { name: 'ask', arguments: {}, ...(task && { task }) }).catch(() => {})
  await settled()
  return refused
}

/** Continues a call with a state that is `over` bytes longer than `requestState.maxBytes`. */
async function sealed(over: number): Promise<unknown> {
  const ask = async (maxBytes: number): Promise<unknown> => {
    const server = createServer({ requestState: { maxBytes, keys: [new Uint8Array(32)] } })
    const named = z.object({ name: z.string() })
    server.addTool({
      name: 'ask',
      asks: asks()
        .ask('one', () => elicit('One?', named))
        .ask('two', () => elicit('Two?', named)),
      handler: () => 'done',
    })
    const client = web(server)
    const first = await client.modern('tools/call', { name: 'ask' })
    const { requestState } = first.body.result as { requestState: string }
    const inputResponses = { one: { action: 'accept', content: { name: 'x'.repeat(1_500) } } }
    const second = await client.modern('tools/call', { name: 'ask', requestState, inputResponses })
    return second.body.result
  }
  const { requestState } = (await ask(16_384)) as { requestState: string }
  return ask(requestState.length - over)
}

/** Continues a call with a state that is `ms` old. */
async function continued(ms: number): Promise<unknown> {
  const clock = new FakeClock()
  const server = createServer({ clock, requestState: { ttlMs: 1_000 } })
  server.addTool({ name: 'ask', asks: { ok: () => elicit('Sure?', OK) }, handler: () => 'done' })
  const client = web(server)
  const first = await client.modern('tools/call', { name: 'ask' })
  const { requestState } = first.body.result as { requestState: string }
  await clock.advance(ms)
  const params = { name: 'ask', requestState, inputResponses: { ok: AGREED } }
  return (await client.modern('tools/call', params)).body
}

/** Uses `count` states, and then continues a call with the first state again. */
async function afterUses(count: number): Promise<unknown> {
  const clock = new FakeClock()
  const server = createServer({ clock, requestState: { singleUse: true, maxUsed: 3 } })
  server.addTool({ name: 'ask', asks: { ok: () => elicit('Sure?', OK) }, handler: () => 'done' })
  const client = web(server)
  const begin = async (): Promise<() => Promise<Body>> => {
    const { requestState } = (await client.modern('tools/call', { name: 'ask' })).body.result as {
      requestState: string
    }
    const params = { name: 'ask', requestState, inputResponses: { ok: AGREED } }
    return async () => (await client.modern('tools/call', params)).body
  }
  const [first, asOld] = [await begin(), await begin()]
  await first()
  await clock.advance(1)
  for (let i = 1; i < count; i++) await (await begin())()
  return asOld()
}

/** Returns whether a call is still running `ms` after its question. */
async function unanswered(ms: number): Promise<unknown> {
  const clock = new FakeClock()
  const server = createServer({ clock, limits: { inputTimeoutMs: 90_000 } })
  server.addTool({ name: 'ask', asks: { ok: () => elicit('Sure?', OK) }, handler: () => 'done' })
  let state = 'runs'
  server.on('request', () => (state = 'ended'))
  const heard = deferred()
  const connection = await peer(server, {
    capabilities: { elicitation: { form: {} } },
    onRequest: () => (heard.resolve(), new Promise(() => {})),
  })
  call(connection, 'ask').catch(() => {})
  await heard.promise
  await clock.advance(ms)
  await settled()
  return state
}

const OK = z.object({ ok: z.boolean() })
const AGREED = { action: 'accept', content: { ok: true } }
const BUSY = { code: -32603, message: 'The server is busy, try again shortly' }

export const CALLS: readonly Limit[] = [
  { limit: 'limits.running', most: 3, use: (count) => inFlight(waiting({ limits: { running: 3, inFlight: 10 } }), count), accepted: 'yes', refused: 'waits' },
  { limit: 'limits.running without a session', most: 3, use: (count) => withoutSession({ limits: { running: 3, inFlight: 10 } }, count, ALICE), accepted: 'yes', refused: 'waits' },
  { limit: 'limits.inFlight without a session', most: 5, use: (count) => withoutSession({ limits: { running: 3, inFlight: 5 } }, count, ALICE), accepted: 'waits', refused: BUSY },
  { limit: 'limits.anonymous.running', most: 3, use: (count) => withoutSession({ limits: { anonymous: { running: 3, inFlight: 10 } } }, count), accepted: 'yes', refused: 'waits' },
  { limit: 'limits.anonymous.inFlight', most: 5, use: (count) => withoutSession({ limits: { anonymous: { running: 3, inFlight: 5 } } }, count), accepted: 'waits', refused: BUSY },
  { limit: 'limits.handlerTimeoutMs', most: 999, use: (ms) => running({ handlerTimeoutMs: 1_000 }, ms), accepted: 'runs', refused: expect.stringContaining('1') },
  { limit: 'limits.maxHandlerTimeoutMs', most: 999, use: (ms) => running({ handlerTimeoutMs: 1_000, maxHandlerTimeoutMs: 1_000 }, ms), accepted: 'runs', refused: expect.stringContaining('1') },
  { limit: 'limits.maxInputRounds', most: 3, use: (rounds) => asked({ maxInputRounds: 3 }, rounds), accepted: 'enough', refused: expect.stringContaining('3') },
  { limit: 'limits.maxInputRounds, by default', most: 8, use: (rounds) => asked({}, rounds), accepted: 'enough', refused: expect.stringContaining('8') },
  { limit: 'limits.maxInputRounds without a session', most: 3, use: (rounds) => askedAnew({ maxInputRounds: 3 }, rounds), accepted: 'enough', refused: expect.stringContaining('3') },
  { limit: 'limits.maxResultBytes', most: 2_000, use: (bytes) => resultOf({ maxResultBytes: 2_000 }, bytes), accepted: { content: [{ text: expect.stringMatching(/^x+$/) }] }, refused: { isError: true } },
  { limit: 'limits.maxResultBytes, by default', most: 8_388_608, use: (bytes) => resultOf({}, bytes), accepted: { content: [{ text: expect.stringMatching(/^x{9}/) }] }, refused: { isError: true } },
  { limit: 'limits.pageSize', most: 3, use: firstPage, accepted: { tools: 3, more: false }, refused: { tools: 3, more: true } },
  { limit: 'values of a completion', most: 100, use: completed, accepted: { sent: 100, hasMore: false }, refused: { sent: 100, hasMore: true } },
  { limit: 'subscriptions of a session', most: 1_024, use: subscribed, accepted: { result: {} }, refused: { error: { code: -32602 } } },
  { limit: 'URIs of subscriptions/listen', most: 1_024, use: (count) => listening(list(count, (i) => `a://${i}`)), accepted: 'open', refused: { error: { code: -32602 } } },
  { limit: 'characters of a URI of subscriptions/listen', most: 8_192, use: (length) => listening(['a://'.padEnd(length, 'x')]), accepted: 'open', refused: { error: { code: -32602 } } },
  { limit: 'characters of a URI that matches a template', most: 8_192, use: (length) => read('a://'.padEnd(length, 'x')), accepted: { result: {} }, refused: { error: { code: -32602 } } },
  { limit: 'limits.subscriptions of a connection', most: 3, use: openSubscriptions, accepted: [], refused: [-32603] },
  { limit: 'questions that wait at the same time', most: 64, use: (count) => openQuestions(count), accepted: 0, refused: 1 },
  { limit: 'questions of a task that wait at the same time', most: 64, use: (count) => openQuestions(count, {}), accepted: 0, refused: 1 },
  { limit: 'requestState.maxBytes', most: 0, use: sealed, accepted: { requestState: expect.any(String) }, refused: { isError: true } },
  { limit: 'requestState.maxUsed', most: 3, use: afterUses, accepted: { result: { content: [{ text: 'done' }] } }, refused: { error: { code: -32602 } } },
  { limit: 'requestState.ttlMs', most: 999, use: continued, accepted: { result: { content: [{ text: 'done' }] } }, refused: { error: { code: -32602 } } },
  { limit: 'limits.inputTimeoutMs', most: 89_999, use: unanswered, accepted: 'runs', refused: 'ended' },
  { limit: 'limits.running, of tasks', most: 3, use: (count) => started({ limits: { running: 3 } }, count), accepted: { result: {} }, refused: { error: { code: -32603, message: expect.stringContaining('Too many tasks') } } },
  { limit: 'max of MemoryTaskStore', most: 3, use: (count) => started({ tasks: { store: new MemoryTaskStore({ max: 3 }) } }, count), accepted: { result: {} }, refused: { error: { code: -32603 } } },
  { limit: 'maxPerOwner of MemoryTaskStore', most: 3, use: (count) => started({ tasks: { store: new MemoryTaskStore({ maxPerOwner: 3 }) } }, count), accepted: { result: {} }, refused: { error: { code: -32603 } } },
] // prettier-ignore
