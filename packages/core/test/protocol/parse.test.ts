import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkParsed, parseBytes, parseText } from '../../src/protocol/parse.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

describe('the message parser', () => {
  it('agrees with JSON.parse on every value within the limits', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const text = JSON.stringify({ value })
        fc.pre(!/"(__proto__|prototype)":/.test(text))
        const expected: unknown = JSON.parse(text)
        expect(parseText(text)).toEqual({ ok: true, value: expected })
        expect(parseBytes(bytes(text))).toEqual({ ok: true, value: expected })
      }),
    )
  })

  it('returns a parse error for every truncation of a valid message', () => {
    const whole = bytes(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ä\\"","arguments":{"a":[1,{}]}}}',
    )
    for (let length = 0; length < whole.length; length++) {
      expect(parseBytes(whole.subarray(0, length))).toMatchObject({ ok: false, error: { code: -32700 } })
    }
  })

  it('rejects bytes that are not UTF-8, so that handlers never receive replacement characters', () => {
    for (const bad of [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x92]]) {
      const message = new Uint8Array([...bytes('{"a":"'), ...bad, ...bytes('"}')])
      expect(parseBytes(message)).toMatchObject({ ok: false, error: { code: -32700 } })
    }
  })

  it('rejects a repeated key in the envelope, even in a batch', () => {
    const twice = '{"method":"ping","id":1,"m\\u0065thod":"tools/call"}'
    for (const text of [twice, `[${twice}]`, ` [{"id":1},${twice}]`])
      expect(parseText(text)).toMatchObject({ ok: false })
    for (const text of ['[{"id":1},{"id":1}]', '{"params":{"a":1,"b":{"a":1}}}', '[{"params":{"id":1}}]'])
      expect(parseText(text)).toMatchObject({ ok: true })
  })

  it('rejects an envelope only if it has a repeated key, whatever its values contain', () => {
    const name = fc.constantFrom('"jsonrpc"', '"id"', '"method"', '"params"', '"m\\u0065thod"', '"other"')
    const value = fc.oneof(
      fc.constantFrom('1', '"id"', '"method"', '{"id":1,"params":{}}', '["params",{"method":"id"}]', '"\\""'),
      fc.constant(JSON.stringify('x'.repeat(300))),
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value), { maxLength: 6 }), (members) => {
        const text = `{${members.map(([key, held]) => `${key}:${held}`).join(', ')}}`
        const names = members.map(([key]) => JSON.parse(key) as string)
        expect(parseText(text).ok).toBe(new Set(names).size === names.length)
      }),
      { numRuns: 500 },
    )
  })

  it('strips one leading byte order mark, but not a second one', () => {
    expect(parseBytes(new Uint8Array([0xef, 0xbb, 0xbf, ...bytes('{}')]))).toEqual({ ok: true, value: {} })
    expect(parseText('\ufeff{}')).toEqual({ ok: true, value: {} })
    expect(parseText('\ufeff\ufeff{}')).toMatchObject({ ok: false })
  })

  it.each([
    [128, true],
    [129, false],
    [100_000, false],
  ])('with %i levels of nesting, returns ok: %s', (levels, ok) => {
    expect(parseText(nested(levels)).ok).toBe(ok)
    expect(checkParsed(JSON.parse(nested(Math.min(levels, 5000)))).ok).toBe(ok)
  })

  it('does not count brackets in strings as nesting', () => {
    expect(parseText(`{"a":"${'['.repeat(1_000)}"}`).ok).toBe(true)
  })

  it('finds a repeated envelope key even in a long text', () => {
    const text = (rest: string): string =>
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"${' '.repeat(1_000)}"}${rest}}`
    expect(parseText(text('')).ok).toBe(true)
    expect(parseText(text(',"id":2'))).toMatchObject({ ok: false, error: { message: /twice/ } })
  })

  it('rejects a text with too many elements without parsing it', () => {
    expect(parseText(`[${'0,'.repeat(100_001)}0]`)).toMatchObject({
      ok: false,
      error: { message: /too many/ },
    })
    expect(checkParsed(Array.from({ length: 60_000 }, () => 0))).toMatchObject({ ok: false })
  })

  it.each([
    ['[[]]', { maxDepth: 2, maxTokens: 100 }, undefined],
    ['[[]]', { maxDepth: 1, maxTokens: 100 }, /too deeply/],
    ['[[[]]]', { maxDepth: 2, maxTokens: 100 }, /too deeply/],
    ['[[],[],[]]', { maxDepth: 2, maxTokens: 100 }, undefined],
    ['{"a":{},"b":[]}', { maxDepth: 2, maxTokens: 6 }, undefined],
    ['{"a":{},"b":[]}', { maxDepth: 2, maxTokens: 5 }, /too many/],
    ['[1,2,3,4,5,6]', { maxDepth: 128, maxTokens: 6 }, undefined],
    ['[1,2,3,4,5,6]', { maxDepth: 128, maxTokens: 5 }, /too many/],
    ['{"a":1}', { maxDepth: 128, maxTokens: 1 }, /too many/],
    ['{}', { maxDepth: 128, maxTokens: 0 }, /too many/],
  ])('given the text %s and the limits %j, reports the problem %s', (text, limits, fault) => {
    for (const parsed of [parseText(text, limits), parseBytes(bytes(text), limits)])
      expect(parsed).toMatchObject(fault === undefined ? { ok: true } : { error: { message: fault } })
  })

  it.each([
    [[1, 2], { maxDepth: 1, maxTokens: 6 }, undefined],
    [[1, 2], { maxDepth: 1, maxTokens: 5 }, /too many/],
    [[{ a: null }, 'a'], { maxDepth: 2, maxTokens: 10 }, undefined],
    [[{ a: null }, 'a'], { maxDepth: 2, maxTokens: 9 }, /too many/],
    [[{ a: null }], { maxDepth: 1, maxTokens: 10 }, /too deeply/],
    [null, { maxDepth: 1, maxTokens: 0 }, undefined],
    ['text', { maxDepth: 1, maxTokens: 0 }, undefined],
  ])('given the parsed value %j and the limits %j, reports the problem %s', (value, limits, fault) => {
    expect(checkParsed(value, limits)).toMatchObject(
      fault === undefined ? { ok: true, value } : { error: { message: fault } },
    )
  })

  it('ignores brackets in strings', () => {
    expect(parseText(JSON.stringify('[{"'.repeat(200))).ok).toBe(true)
  })

  it.each([
    ['{"method":"a","method":"b"}'],
    ['{"id":1,"params":{},"id":2}'],
    ['{"method":"a","\\u006dethod":"b"}'],
    ['{"\\u006dethod":"a","method":"b"}'],
    ['{"x":1,"id":1,"i\\u0064":2}'],
    ['{"x":1,"id":1,"x":2}'],
    [' {"id":1,"id":2}'],
    ['{"id" :1,"id"\n\t:2}'],
    ['{"a":"\\\\","id":1,"id":2}'],
    ['{"a":"\\"","id":1,"id":2}'],
    ['{"result":1,"result":2}'],
    ['{"error":1,"id":2,"error":2}'],
    ['{"":1,"":2}'],
    ['[{"id":1},{"x":1,"x":2}]'],
  ])('rejects a repeated key in the envelope: %s', (text) => {
    expect(parseText(text)).toMatchObject({ ok: false, error: { message: /same key twice/ } })
  })

  it.each([
    ['{"__proto__":{"x":1}}'],
    ['{"params":{"arguments":{"__proto__":1}}}'],
    ['{"a":[{"\\u005f_proto__":{}}]}'],
    ['{"a":{"constructor":{"prototype":{"x":1}}}}'],
    ['{"a":{"c\\u006fnstructor":{"prototype":{}}}}'],
  ])('rejects keys that could reach a prototype: %s', (text) => {
    expect(parseText(text)).toMatchObject({ ok: false, error: { message: /forbidden key/ } })
    expect(checkParsed(JSON.parse(text))).toMatchObject({ ok: false })
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })

  it('accepts forbidden names as values, and as keys that cannot reach a prototype', () => {
    for (const text of [
      '{"a":"__proto__","constructor":"x"}',
      '{"a":"__proto__","constructor":null}',
      '{"constructor":{"a":"prototype"}}',
      '{"prototype":{"constructor":1}}',
      '{"x":"id","y":"id"}',
      '{"x":["id","id"]}',
    ]) {
      expect(parseText(text).ok, text).toBe(true)
      expect(checkParsed(JSON.parse(text)).ok, text).toBe(true)
    }
  })
})
