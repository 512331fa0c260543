import { silent } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { content, contents, McpServer, message, messages, result } from '../../../src/index.ts'
import { openPeer } from '../../support/peer.ts'

function* numbers(): Generator<number> {
  yield 1
}
async function* laterNumbers(): AsyncGenerator<number> {
  yield 1
}
class Countdown {
  next(): object {
    return { done: true }
  }
  [Symbol.iterator](): this {
    return this
  }
}
class Failure extends Error {
  readonly code = 'E_FAILURE'
}

/** Values that JSON turns into `{}`, each with its log message. */
const LOSSES: readonly (readonly [string, () => unknown, string])[] = [
  ['an Error', () => new Error('No'), 'is an Error; send its message, or throw it'],
  ['an Error with members', () => new Failure('No'), 'is an Error; send its message, or throw it'],
  ['a Map', () => new Map([['a', 1]]), 'is a Map; send Object.fromEntries(…) of it'],
  ['a Set', () => new Set([1]), 'is a Set; send an array of its items'],
  ['a promise', () => Promise.resolve(1), 'is a promise; await it'],
  // oxlint-disable-next-line unicorn/no-thenable
  ['a thenable query', () => ({ sql: 'select', then: () => {} }), 'is a promise; await it'],
  ['a Response', () => new Response('x'), 'is a Response; await its text() or json()'],
  ['a Blob', () => new Blob(['x']), 'is a Blob; await its text() or json()'],
  ['Headers', () => new Headers({ a: 'b' }), 'is a Headers; send Object.fromEntries(…) of it'],
  ['a generator', () => numbers(), 'is a Generator; send an array of its items'],
  ['an async generator', () => laterNumbers(), 'is an AsyncGenerator; send an array of its items'],
  ['an iterator of a Map', () => new Map().values(), 'is a Map Iterator; send an array of its items'],
  ['a custom iterator', () => new Countdown(), 'is an iterator; send an array of its items'],
  ['a typed array', () => new Float32Array(2), 'is a Float32Array; send base64, or an array of numbers'],
  ['a regular expression', () => /x/, 'is a RegExp; send what it holds'],
]

type Define = (server: McpServer, value: unknown) => void
type Call = readonly [method: string, params: object]

const tool =
  (wrap: (value: unknown) => unknown, rest: object = {}): Define =>
  (server, value) =>
    void server.addTool({ name: 't', ...rest, handler: () => wrap(value) as string })
const callTool: Call = ['tools/call', { name: 't' }]
const resource =
  (wrap: (value: unknown) => unknown): Define =>
  (server, value) =>
    void server.addResource({ uri: 'a://b', name: 'b', handler: () => wrap(value) })
const readResource: Call = ['resources/read', { uri: 'a://b' }]
const prompt =
  (wrap: (value: unknown) => unknown): Define =>
  (server, value) =>
    void server.addPrompt({ name: 'p', handler: () => wrap(value) as string })
const getPrompt: Call = ['prompts/get', { name: 'p' }]

const hello = { type: 'text', text: 'hello' } as const
const meta = (value: unknown): { _meta: { deep: unknown[] } } => ({ _meta: { deep: [value] } })
const outputSchema = z.object({ list: z.array(z.any()) })
const pruned = z.object({ list: z.array(z.any()) }).and(z.object({ id: z.number() }))

/** The places where such a value may occur, each with the path that the log contains. */
const PLACES: readonly (readonly [string, Define, Call, string])[] = [
  ["a tool's array", tool((lost) => ['x', lost]), callTool, '[1]: '],
  ["a tool's object", tool((lost) => ({ 'odd key': [{ a: lost }] })), callTool, '["odd key"][0].a: '],
  [
    'a class instance',
    tool((lost) => Object.assign(new Countdown(), { next: undefined, a: lost })),
    callTool,
    'a: ',
  ],
  ['a structured value', tool((lost) => ({ list: [lost] }), { outputSchema }), callTool, 'list[0]: '],
  [
    'a structured value of intersected objects',
    tool((lost) => ({ id: 1, list: [lost] }), { outputSchema: pruned }),
    callTool,
    'list[0]: ',
  ],
  [
    'a structured value without a check',
    tool((lost) => ({ list: [lost] }), { outputSchema, validateOutput: false }),
    callTool,
    'list[0]: ',
  ],
  [
    'the structuredContent of a result',
    tool((lost) => ({ content: [hello], structuredContent: { a: lost } })),
    callTool,
    'a: ',
  ],
  ['the metadata of a result', tool((lost) => ({ content: [hello], ...meta(lost) })), callTool, 'deep[0]: '],
  [
    'the metadata of a block',
    tool((lost) => ({ content: [hello, { ...hello, ...meta(lost) }] })),
    callTool,
    'content[1]._meta must be JSON: deep[0]: ',
  ],
  [
    'the metadata of a block from a helper',
    tool((lost) => [content.text('hello'), content.text('hello', meta(lost))]),
    callTool,
    'content[1]._meta.deep[0]: ',
  ],
  [
    'the annotations of a block from a helper',
    tool((lost) => content.text('hello', { annotations: { audience: lost } as object })),
    callTool,
    'content[0].annotations.audience: ',
  ],
  ['result({ structured })', tool((lost) => result({ structured: [lost] })), callTool, '[0]: '],
  ['result({ _meta })', tool((lost) => result({ content: 'x', ...meta(lost) })), callTool, '_meta.deep[0]: '],
  ["a resource's object", resource((lost) => ({ a: lost })), readResource, 'a: '],
  [
    'the metadata of a resource',
    resource((lost) => contents([{ text: 'x', ...meta(lost) }])),
    readResource,
    'contents[0]._meta.deep[0]: ',
  ],
  [
    'the metadata of a prompt',
    prompt((lost) => messages({ messages: [message.user('x')], ...meta(lost) })),
    getPrompt,
    '_meta.deep[0]: ',
  ],
]

async function logOf(define: Define, value: unknown, [method, params]: Call): Promise<readonly string[]> {
  const logged: string[] = []
  const error = (fields: object): void => void logged.push((fields as { readonly err: Error }).err.message)
  const server = new McpServer({ name: 'test', version: '1' }, { logger: { ...silent, error } })
  define(server, value)
  const peer = await openPeer(server)
  const { result: sent, error: failure } = await peer.request(method, params)
  await server.close()
  if (logged.length > 0) expect(failure !== undefined || sent.isError === true).toBe(true)
  return logged
}

const SUBJECT: Readonly<Record<string, string>> = {
  'tools/call': 'The tool "t" returned',
  'resources/read': 'The resource "a://b" returned',
  'prompts/get': 'The prompt "p" returned',
}

describe('a value that JSON would reduce to {}', () => {
  const alone = LOSSES.filter(([, , problem]) => !problem.includes('promise'))

  it.each(alone)('is logged as an error if a tool returns %s', async (_name, make, problem) => {
    expect(
      await logOf(
        tool((lost) => lost),
        make(),
        callTool,
      ),
    ).toEqual([`The tool "t" returned a value that JSON cannot carry: ${problem}`])
  })

  it.each(LOSSES)(
    'is logged as an error if the result of a tool contains %s',
    async (_name, make, problem) => {
      expect(
        await logOf(
          tool((lost) => ({ items: [lost] })),
          make(),
          callTool,
        ),
      ).toEqual([`The tool "t" returned a value that JSON cannot carry: items[0]: ${problem}`])
    },
  )

  it.each(PLACES)('is logged with its path if it is in %s', async (_name, define, call, path) => {
    const logged = await logOf(define, new Map(), call)
    expect(logged).toEqual([expect.stringContaining(`${path}is a Map; send Object.fromEntries(…) of it`)])
    expect(logged[0]?.startsWith(SUBJECT[call[0]] ?? '?')).toBe(true)
  })

  it.each<[string, unknown]>([
    ['a Date', new Date(0)],
    ['a Map with toJSON', Object.assign(new Map(), { toJSON: () => ({ a: 1 }) })],
    ['a Buffer, which has toJSON', Buffer.from('x')],
    [
      'an instance of a class',
      new (class Point {
        x = 1
      })(),
    ],
    ['an object without a prototype', Object.assign(Object.create(null) as object, { x: 1 })],
    [
      'undefined, NaN and functions, which JSON omits or replaces',
      { a: undefined, b: Number.NaN, c: () => 1 },
    ],
    ['an object with a member named then', JSON.parse('{"then":"later"}')],
    ['a value of two thousand levels', JSON.parse('['.repeat(2_000) + ']'.repeat(2_000))],
  ])('is not reported for %s', async (_name, value) => {
    expect(
      await logOf(
        tool((lost) => ({ lost })),
        value,
        callTool,
      ),
    ).toEqual([])
  })

  it.each<[string, () => unknown, string]>([
    ['a bigint', () => 1n, 'is a bigint; send a number or a string'],
    [
      'an object that contains itself',
      () => {
        const list: unknown[] = []
        list.push({ list })
        return { list }
      },
      'list[0].list: is an object that contains itself; send a copy without it',
    ],
  ])('is logged with its path and a description for %s', async (_name, make, problem) => {
    const join = problem.startsWith('is') ? ': ' : '.'
    expect(
      await logOf(
        tool((lost) => ({ items: [{ a: lost }] })),
        make(),
        callTool,
      ),
    ).toEqual([`The tool "t" returned a value that JSON cannot carry: items[0].a${join}${problem}`])
  })

  it('is searched for only once in each object, even if the object is referenced many times', async () => {
    let many: object = { toJSON: () => JSON.parse('{') as unknown }
    for (let level = 0; level < 500; level++) many = [many, many]
    const logged = await logOf(
      tool((lost) => ({ lost })),
      many,
      callTool,
    )
    expect(logged).toEqual(['The tool "t" returned a value that JSON cannot carry'])
  })

  it('is logged without a path if the data is nested too deeply for JSON', async () => {
    const logged = await logOf(
      tool((lost) => ({ lost })),
      JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)),
      callTool,
    )
    expect(logged).toEqual(['The tool "t" returned a value that JSON cannot carry'])
  })

  it('is attached to the logged error as its cause if it is an Error', async () => {
    const failure = new Error('No')
    const causes: unknown[] = []
    const error = (fields: object): void => void causes.push((fields as { readonly err: Error }).err.cause)
    const server = new McpServer({ name: 'test', version: '1' }, { logger: { ...silent, error } })
    server.addTool({ name: 't', handler: (): object => failure })
    await (await openPeer(server)).request('tools/call', { name: 't' })
    await server.close()
    expect(causes).toEqual([failure])
  })
})
