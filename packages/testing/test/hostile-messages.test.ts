import type { JsonObject } from '@jetway/core/protocol'
import { createMemoryTransportPair } from '@jetway/core/transport'
import { describe, expect, it } from 'vitest'
import { connectPeer } from '../src/peer.ts'
import { alive, BATCHING, failOnUnhandled, LATEST, serve } from './support/hostile.ts'

failOnUnhandled()

const request = (id: unknown, method: string, params?: object): object => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})
const call = (id: unknown, args: unknown, name = 'echo'): object =>
  request(id, 'tools/call', { name, arguments: args as object })
const text = (message: object): string => JSON.stringify(message)
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
/** Returns a call whose arguments nest the message this many levels deep. */
const deep = (levels: number): string =>
  `{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"echo","arguments":{"a":${nested(levels - 3)}}}}`
const flood = (elements: number): string => text(call('x', { a: Array.from({ length: elements }, () => 0) }))

/** Lines that each cause exactly one error, with the given code. */
const REFUSED: [what: string, line: string, code: number][] = [
  ['nothing', '', -32700],
  ['invalid JSON', '{{', -32700],
  ['two messages in one line', `${text(request(1, 'ping'))} ${text(request(2, 'ping'))}`, -32700],
  ['129 levels', deep(129), -32700],
  [
    '129 levels in _meta',
    `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"a":${nested(126)}}}}`,
    -32700,
  ],
  ['129 levels in the id', `{"jsonrpc":"2.0","method":"ping","id":${nested(128)}}`, -32700],
  ['100,000 levels', `{"a":${nested(100_000)}}`, -32700],
  ['100,000 elements', flood(100_000), -32700],
  ['100,000 keys', `{"jsonrpc":"2.0","id":1,"method":"ping","params":{${Array.from({ length: 100_000 }, (_, n) => `"k${n}":0`).join()}}}`, -32700], // prettier-ignore
  ['the method twice', '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}', -32700],
  ['the id twice', '{"jsonrpc":"2.0","id":1,"method":"ping","id":2}', -32700],
  ['the id twice, once with escapes', '{"jsonrpc":"2.0","id":1,"method":"ping","\\u0069d":2}', -32700],
  [
    '__proto__ next to the method',
    '{"jsonrpc":"2.0","id":1,"method":"ping","__proto__":{"polluted":1}}',
    -32700,
  ],
  [
    '__proto__ in the params',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{"polluted":1}}}',
    -32700,
  ],
  ['__proto__ in the arguments', text(call(1, { a: 'PROTO' })).replace('"a"', '"__proto__"'), -32700],
  ['__proto__ with escapes', text(call(1, { a: 'PROTO' })).replace('"a"', '"\\u005f_proto__"'), -32700],
  ['__proto__ in an array', text(call(1, { b: [{ a: 1 }] })).replace('"a"', '"__proto__"'), -32700],
  ['constructor.prototype', text(call(1, { constructor: { prototype: { polluted: 1 } } })), -32700],
  ['a number', '5', -32600],
  ['null', 'null', -32600],
  ['a string', '"ping"', -32600],
  ['no version', '{"id":1,"method":"ping"}', -32600],
  ['another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
  ['an empty object', '{"jsonrpc":"2.0"}', -32600],
  ['an id alone', '{"jsonrpc":"2.0","id":1}', -32600],
  ['Method', '{"jsonrpc":"2.0","id":1,"Method":"ping"}', -32600],
  ['METHOD', '{"jsonrpc":"2.0","id":1,"METHOD":"ping"}', -32600],
  ['JSONRPC', '{"JSONRPC":"2.0","id":1,"method":"ping"}', -32600],
  ['a method that is a number', '{"jsonrpc":"2.0","id":1,"method":5}', -32600],
  ['a method that is null', '{"jsonrpc":"2.0","id":1,"method":null}', -32600],
  ['a request with a result', '{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}', -32600],
  ['a result and an error', '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}', -32600],
  ['params in an array', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32600],
  ['params that are null', '{"jsonrpc":"2.0","id":1,"method":"ping","params":null}', -32600],
  ['a batch', `[${text(request(1, 'ping'))}]`, -32600],
  ['an empty batch', '[]', -32600],
  ...['null', '1.5', '-0.5', '1e400', '9007199254740993', '18446744073709551616', 'true', '{}', '[]', `"${'x'.repeat(1025)}"`].map(
    (id): [string, string, number] => [`the id ${id.slice(0, 24)}`, `{"jsonrpc":"2.0","method":"ping","id":${id}}`, -32600],
  ), // prettier-ignore
  ['an unknown method', text(request('x', 'tools/invent')), -32601],
  ['an unknown tool', text(call('x', {}, 'unknown')), -32602],
  ['a tool name that is not a string', text(request('x', 'tools/call', { name: 5 })), -32602],
  ['a call without params', text(request('x', 'tools/call')), -32602],
  ['arguments in an array', text(call('x', [])), -32602],
  ['arguments in a string', text(call('x', 'a')), -32602],
  ['an unknown prompt', text(request('x', 'prompts/get', { name: 'unknown' })), -32602],
  [
    'a prompt argument that is a number',
    text(request('x', 'prompts/get', { name: 'prompt', arguments: { a: 1 } })),
    -32602,
  ],
  ['a resource that is a number', text(request('x', 'resources/read', { uri: 5 })), -32602],
  [
    'a resource of 10,000 characters',
    text(request('x', 'resources/read', { uri: 'x://'.padEnd(10_000, 'a') })),
    -32602,
  ],
  ['a resource with a traversal', text(request('x', 'resources/read', { uri: 'x://%2e%2e' })), -32002],
  ['an empty cursor', text(request('x', 'tools/list', { cursor: '' })), -32602],
  ['a cursor of 1 MiB', text(request('x', 'tools/list', { cursor: 'a'.repeat(2 ** 20) })), -32602],
  [
    'a cursor of an unknown list',
    text(request('x', 'tools/list', { cursor: btoa('other:echo').replace(/=+$/, '') })),
    -32602,
  ],
  ['a cursor of another list', text(request('x', 'tools/list', { cursor: btoa('prompts:prompt') })), -32602],
  ['an unknown log level', text(request('x', 'logging/setLevel', { level: '__proto__' })), -32602],
]

describe('an invalid message', () => {
  it.each(REFUSED)(
    'causes one error, after which the next message is processed: %s',
    async (_, line, code) => {
      const bench = await serve()
      await bench.peer.raw(line)
      const strays = await alive(bench)
      expect(strays).toEqual([
        {
          jsonrpc: '2.0',
          ...((strays[0] as JsonObject)['id'] !== undefined && { id: expect.anything() }),
          error: { code, message: expect.any(String), ...(code === -32002 && { data: expect.anything() }) },
        },
      ])
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
      expect(bench.reached).toEqual([])
      expect(JSON.stringify(strays).length).toBeLessThan(1024)
    },
  )

  it('causes one error, regardless of where it is cut off', async () => {
    const bench = await serve()
    const whole = text(call(1, { city: 'Ærø "x"', list: [1, { a: null }] }))
    for (let length = 0; length < whole.length; length++) await bench.peer.raw(whole.slice(0, length))
    const strays = await alive(bench)
    expect(strays).toHaveLength(whole.length)
    expect(new Set(strays.map((stray) => JSON.stringify((stray as JsonObject)['id'])))).toEqual(
      new Set([undefined]),
    )
  })
})

describe('an unusual but valid message', () => {
  it.each([
    ['128 levels', deep(128)],
    ['a byte order mark', `\ufeff${text(call('x', { a: 1 }))}`],
    ['white space around it', ` \t${text(call('x', { a: 1 }))}\r `],
    ['a key named constructor', text(call('x', { constructor: 'Gehry' }))],
    ['lone surrogates', text(call('x', { a: '\ud800', '\udc00': 1 }))],
    ['an unknown member of the envelope', text({ ...call('x', { a: 1 }), trace: 1 })],
    ['an empty id', text(call('', { a: 1 }))],
    ['the id -1', text(call(-1, { a: 1 }))],
    ['the largest integer id', text(call(Number.MAX_SAFE_INTEGER, { a: 1 }))],
    ['an id of 1024 characters', text(call('x'.repeat(1024), { a: 1 }))],
  ])('reaches its handler despite %s', async (_, line) => {
    const bench = await serve()
    await bench.peer.raw(line)
    const sent = JSON.parse(line.replace('\ufeff', '')) as { id: unknown; params: { arguments: unknown } }
    expect(await alive(bench)).toMatchObject([{ id: sent.id, result: { content: [{ type: 'text' }] } }])
    expect(bench.reached).toEqual([sent.params.arguments])
  })
})

describe('property names of Object.prototype', () => {
  const names = Object.getOwnPropertyNames(Object.prototype)
  const probes: [what: string, ask: (name: string) => [method: string, params: JsonObject]][] = [
    ['methods', (name) => [name, {}]],
    ['tools', (name) => ['tools/call', { name }]],
    ['prompts', (name) => ['prompts/get', { name }]],
    ['resources', (name) => ['resources/read', { uri: name }]],
    ['completions', (name) => ['completion/complete', { ref: { type: 'ref/prompt', name }, argument: { name, value: '' } }]], // prettier-ignore
    ['arguments', (name) => ['completion/complete', { ref: { type: 'ref/prompt', name: 'prompt' }, argument: { name, value: '' } }]], // prettier-ignore
  ]
  it.each(probes)('are treated like any other unknown name: %s', async (_, ask) => {
    const bench = await serve()
    const answerTo = async (name: string): Promise<string> =>
      JSON.stringify(await bench.peer.request(...ask(name), { id: 'x' })).replaceAll(name, '?')
    const unknown = await answerTo('invented')
    expect(names).toHaveLength(12)
    for (const name of names) expect(await answerTo(name)).toBe(unknown)
    expect(await alive(bench)).toEqual([])
  })
})

describe('request ids', () => {
  it('do not collide with the same ids from other clients', async () => {
    const { server } = await serve()
    const peers = await Promise.all(
      Array.from({ length: 100 }, () => {
        const [client, end] = createMemoryTransportPair()
        server.connect(end)
        return connectPeer(client, { revision: LATEST })
      }),
    )
    const answers = await Promise.all(
      peers.map((peer, n) => peer.request('tools/call', { name: 'echo', arguments: { n } }, { id: 7 })),
    )
    for (const [n, answer] of answers.entries())
      expect(answer.result).toEqual({ content: [{ type: 'text', text: `{"n":${n}}` }] })
  })
})

describe('a batch in a revision with batches', () => {
  const pings = (count: number): object[] => Array.from({ length: count }, (_, n) => request(n, 'ping'))
  it.each<[what: string, batch: unknown[], answers: number | 'refused']>([
    ['no messages', [], 'refused'],
    ['one request', pings(1), 1],
    ['100 requests', pings(100), 100],
    ['101 requests', pings(101), 'refused'],
    ['50,000 requests', pings(50_000), 'refused'],
    ['a notification', [{ jsonrpc: '2.0', method: 'notifications/initialized' }], 0],
    ['a response', [{ jsonrpc: '2.0', id: 1, result: {} }], 0],
    ['another batch', [pings(2)], 'refused'],
    ['initialize', [request(1, 'initialize', { protocolVersion: BATCHING }), request(2, 'ping')], 'refused'],
    ['a value that is not a message', [request(1, 'ping'), 5], 'refused'],
    ['100 values that are not messages', Array.from({ length: 100 }, () => 1), 'refused'],
    ['a request and a response', [request(1, 'ping'), { jsonrpc: '2.0', id: 1, result: {} }], 'refused'],
  ])(
    'receives either all of its responses or a single error if it contains %s',
    async (_, batch, answers) => {
      const bench = await serve(BATCHING)
      await bench.peer.raw(JSON.stringify(batch))
      const strays = await alive(bench)
      if (answers === 'refused') expect(strays).toMatchObject([{ error: { code: expect.any(Number) } }])
      // The recording peer splits arrays into single messages.
      else expect(strays).toHaveLength(answers)
      expect(JSON.stringify(strays).length).toBeLessThan(JSON.stringify(batch).length + 1024)
    },
  )
})

describe('unexpected messages', () => {
  it('are ignored if they are responses, or unknown or malformed notifications', async () => {
    const bench = await serve()
    for (let id = 0; id < 1_000; id++) {
      await bench.peer.raw(text({ jsonrpc: '2.0', id, result: {} }))
      await bench.peer.raw(text({ jsonrpc: '2.0', id: `${id}`, error: { code: 1, message: 'x' } }))
    }
    await bench.peer.raw('{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}')
    for (const method of [
      'notifications/unknown',
      '__proto__',
      'tools/call',
      'notifications/cancelled',
      'initialize',
    ])
      for (const params of [undefined, {}, { requestId: {} }, { requestId: null }])
        await bench.peer.notify(method, params)
    expect(await alive(bench)).toEqual([])
    expect(bench.reached).toEqual([])
  })
})

describe('progress notifications', () => {
  it.each([{}, null, true, 1.5, 'x'.repeat(1025), []])(
    'are not sent for the invalid token %j',
    async (progressToken) => {
      const bench = await serve()
      bench.server.addTool({ name: 'tells', handler: (_, ctx) => ctx.progress(1) })
      await bench.peer.request('tools/call', { name: 'tells', _meta: { progressToken } })
      await alive(bench)
      expect(bench.peer.notifications.filter(({ method }) => method === 'notifications/progress')).toEqual([])
    },
  )
})
