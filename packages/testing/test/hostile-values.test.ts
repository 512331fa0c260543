import {
  elicitUrl,
  McpError,
  McpServer,
  QuestionError,
  result,
  ToolError,
  UrlElicitationRequired,
} from '@jetway/core'
import type { JsonObject } from '@jetway/core/protocol'
import { expect, it } from 'vitest'
import { memoryTransport, fetchTransport } from '../src/matrix-transports.ts'
import { type Cell, describeMatrix, SESSION_REVISIONS } from '../src/matrix.ts'
import { HOST_TRANSPORTS, SSE_TRANSPORTS } from './support/host-transports.ts'
import { CANARY, failOnUnhandled, turn } from './support/hostile.ts'

failOnUnhandled()

const trap = (): never => {
  throw new Error(CANARY)
}
const cycle: Record<string, unknown> = {}
cycle['self'] = cycle

/** Makes a property throw each time it is read, or only from the given read on. */
function throwing<T extends object>(target: T, member: string, first = 1): T {
  const value: unknown = Reflect.get(target, member)
  let reads = 0
  const get = (): unknown => (++reads >= first ? trap() : value)
  return Object.defineProperty(target, member, { get, enumerable: true, configurable: true })
}
const proxy = (target: object, traps: ProxyHandler<object>): object => new Proxy(target, traps)
const EVERY_TRAP: ProxyHandler<object> = { get: trap, getPrototypeOf: trap, has: trap, ownKeys: trap }
const error = (data?: unknown): McpError => new McpError(-32000, 'no', data)

/**
 * Values that cannot be read or encoded. They are created again for each use, because some count how often
 * they are read.
 */
const HOSTILE: Readonly<Record<string, () => unknown>> = {
  'an object with a getter that throws': () => throwing({ a: 1 }, 'a'),
  'an object with a toJSON that throws': () => ({ toJSON: trap }),
  'a BigInt': () => ({ n: 1n }),
  'a cycle': () => cycle,
  'a proxy with traps that throw': () => proxy({}, EVERY_TRAP),
  'a proxy whose keys throw': () => proxy({ a: 1 }, { ownKeys: trap }),
  'an array with a getter that throws': () => throwing([1], '0'),
  'a result with a content that throws': () => throwing({ content: [] }, 'content'),
  'a result with a content that throws later': () => throwing({ content: [] }, 'content', 2),
  'a result with _meta that throws': () => result({ content: 'x', _meta: throwing({ a: 1 }, 'a') }),
  'a block with a text that throws': () => ({ content: [throwing({ type: 'text', text: 'x' }, 'text')] }),
  'contents that throw': () => throwing({ contents: [] }, 'contents'),
  'messages that throw': () => throwing({ messages: [] }, 'messages'),
  'a then that throws': () => throwing(JSON.parse('{"then":1}') as object, 'then'),
}

const THROWN: Readonly<Record<string, () => unknown>> = {
  ...HOSTILE,
  'an error with data that throws': () => throwing(error(), 'data'),
  ...Object.fromEntries(
    [2, 3].flatMap((read) =>
      ['data', 'code', 'message', 'reason'].map((member) => [
        `an error whose ${member} throws at read ${read}`,
        () => throwing(error({ a: 1 }), member, read),
      ]),
    ),
  ),
  'an error whose code throws': () => throwing(error(), 'code'),
  'an error whose message throws': () => throwing(error(), 'message'),
  'an error with a toJSON that throws in its data': () => error({ toJSON: trap }),
  'an error with a BigInt in its data': () => error({ n: 1n }),
  'an error with a cycle in its data': () => error(cycle),
  'an error with a proxy as its data': () => error(proxy({}, EVERY_TRAP)),
  'a proxy of an error': () => proxy(error(), { get: trap }),
  'a tool error whose message throws': () => throwing(new ToolError('no'), 'message'),
  'a question error whose message throws': () => throwing(new QuestionError('declined', 'no'), 'message'),
  'a required URL whose questions throw': () =>
    throwing(
      new UrlElicitationRequired(elicitUrl('?', 'https://a.example')) as unknown as { questions: unknown },
      'questions',
    ),
}

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const ONE = { running: 1, inFlight: 1 }

/** A server that runs one call at a time, so that a slot that is not freed causes the next call to be refused. */
function serverOf(act: () => unknown): McpServer {
  const server = new McpServer(
    { name: 'target', version: '1' },
    { logger: silent, limits: { ...ONE, anonymous: ONE } },
  )
  const later = async (): Promise<unknown> => (await turn(), act())
  for (const [name, handler] of Object.entries({ now: act, later })) {
    server.addTool({ name, handler })
    server.addTool({
      name: `${name}_checked`,
      outputSchema: { type: 'object' },
      handler: handler as () => object,
    })
    server.addTool({ name: `${name}_asks`, asks: { one: handler as () => undefined }, handler: () => 'x' })
    server.addResource({ uri: `x://${name}`, name, handler })
    server.addPrompt({
      name,
      arguments: [{ name: 'a', complete: handler as () => string[] }],
      handler: handler as () => string,
    })
  }
  server.addTool({ name: 'middleware', handler: () => 'x' })
  server.use('tools/call', (ctx, next) =>
    ctx.message.params.name === 'middleware' ? (act() as ReturnType<typeof next>) : next(),
  )
  server.addTool({ name: 'echo', handler: () => 'alive' })
  return server
}

const REQUESTS: readonly (readonly [method: string, params: JsonObject])[] = [
  ...['now', 'later'].flatMap((name): [string, JsonObject][] => [
    ['tools/call', { name }],
    ['tools/call', { name: `${name}_checked` }],
    ['tools/call', { name: `${name}_asks` }],
    ['resources/read', { uri: `x://${name}` }],
    ['prompts/get', { name }],
    ['completion/complete', { ref: { type: 'ref/prompt', name }, argument: { name: 'a', value: 'x' } }],
  ]),
  ['tools/call', { name: 'middleware' }],
]

/** Checks that every request receives one response, and that the next call finds a free slot. */
async function answersAll(connect: Cell['connect'], act: () => unknown): Promise<void> {
  const peer = await connect(serverOf(act), { capabilities: { elicitation: { form: {}, url: {} } } })
  for (const [method, params] of REQUESTS) {
    const answer = await peer.request(method, params)
    expect(Number('result' in answer) + Number('error' in answer), method).toBe(1)
    expect(JSON.stringify(answer)).not.toContain(CANARY)
    const next = await peer.request('tools/call', { name: 'echo' })
    expect(next.result, JSON.stringify([method, params])).toMatchObject({ content: [{ text: 'alive' }] })
  }
  expect(peer.strays).toEqual([])
}

const throwIt = (make: () => unknown) => () => {
  throw make()
}
const REVISIONS = ['2025-11-25', '2026-07-28']

describeMatrix(
  'a handler with a hostile value',
  { revisions: REVISIONS, transports: [memoryTransport] },
  ({ connect }) => {
    it.each(Object.entries(HOSTILE))('produces one response and frees its slot if it returns %s', (_, make) =>
      answersAll(connect, make),
    )
    it.each(Object.entries(THROWN))('produces one response and frees its slot if it throws %s', (_, make) =>
      answersAll(connect, throwIt(make)),
    )
  },
)

const SSE = SSE_TRANSPORTS.map((transport) => ({ ...transport, revisions: SESSION_REVISIONS }))

describeMatrix(
  'a handler with a hostile value',
  { revisions: REVISIONS, transports: [fetchTransport, ...HOST_TRANSPORTS, ...SSE] },
  ({ connect }) => {
    it('produces one response and frees its slot if it returns an object with a getter that throws', () =>
      answersAll(connect, HOSTILE['an object with a getter that throws'] as () => unknown))

    it.each([
      'an error with data that throws',
      'an error whose code throws at read 2',
      'an error with a BigInt in its data',
      'a question error whose message throws',
      'a required URL whose questions throw',
    ])('produces one response and frees its slot if it throws %s', (name) =>
      answersAll(connect, throwIt(THROWN[name] as () => unknown)),
    )
  },
)
