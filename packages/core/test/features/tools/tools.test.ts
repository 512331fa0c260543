import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { McpError, ToolError } from '../../../src/errors.ts'
import { content, result } from '../../../src/features/content/content.ts'
import { createFeatures, type Features } from '../../../src/features/features.ts'
import type { AnyTool, ToolDefinition } from '../../../src/features/tools/tool-types.ts'
import { defineTool } from '../../../src/features/define.ts'
import { tieredEngine } from '../../../src/schema/tiered-engine.ts'
import type { AnySchema } from '../../../src/schema/types.ts'
import { call, callNow, entryOf, errorOf, mcpErrorOf, wire } from '../helpers.ts'
import { PARTS } from '../parts.ts'

function serve(...tools: AnyTool[]): Features {
  const features = createFeatures({ ...PARTS, schemas: tieredEngine(), publish: () => {} })
  features.tools.registry.set(tools)
  return features
}

const callTool = (features: Features, args?: unknown, name = 't'): ReturnType<typeof call> =>
  call(features.methods, 'tools/call', { name, ...(args !== undefined && { arguments: args }) })

const tool = (handler: () => unknown): AnyTool => defineTool({ name: 't', handler })

const structuredTool = (handler: () => unknown, more: object = {}): AnyTool => ({
  name: 't',
  outputSchema: z.object({ high: z.number() }),
  handler,
  ...more,
})

const textOf = (text: string): object => ({ content: [{ type: 'text', text }] })
const failureOf = (text: string): object => ({ ...textOf(text), isError: true })

describe('tools/call', () => {
  it('fails with -32602 for an unknown tool, and truncates its name', async () => {
    const error = await mcpErrorOf(() => callTool(serve(tool(() => 'x')), {}, 'n'.repeat(5000)))
    expect(error.code).toBe(-32602)
    expect(error.message).toBe(`Unknown tool: ${'n'.repeat(128)}`)
  })

  it.each(['__proto__', 'constructor', 'toString'])('does not find a tool named %s', async (name) => {
    expect((await mcpErrorOf(() => callTool(serve(tool(() => 'x')), {}, name))).code).toBe(-32602)
  })

  it.each([[undefined], [5], [null], [{}]])('fails with -32602 for the name %j', async (name) => {
    const { methods } = serve(tool(() => 'x'))
    expect((await mcpErrorOf(() => call(methods, 'tools/call', { name }))).code).toBe(-32602)
  })

  it.each([[[]], ['x'], [5], [true]])('fails with -32602 for the arguments %j', async (args) => {
    expect((await mcpErrorOf(() => callTool(serve(tool(() => 'x')), args))).code).toBe(-32602)
  })

  it('passes a new empty object to the handler if there are no arguments', async () => {
    const given: unknown[] = []
    const features = serve(
      defineTool({
        name: 't',
        inputSchema: { type: 'object' },
        handler: (args) => void given.push(Object.assign(args, { seen: true })),
      }),
    )
    await callTool(features)
    await callTool(features)
    expect(given).toEqual([{ seen: true }, { seen: true }])
    expect(given[0]).not.toBe(given[1])
  })

  it('fails with -32601 if no tool has ever been registered, and with -32602 after setTools([])', async () => {
    const features = createFeatures({ ...PARTS, schemas: tieredEngine(), publish: () => {} })
    expect((await mcpErrorOf(() => callTool(features))).code).toBe(-32601)
    expect((await mcpErrorOf(() => call(features.methods, 'tools/list'))).code).toBe(-32601)
    features.tools.registry.set([])
    expect((await mcpErrorOf(() => callTool(features))).code).toBe(-32602)
    expect(await call(features.methods, 'tools/list')).toEqual({ tools: [] })
  })

  it('uses the timeout of the called tool', () => {
    const { methods } = serve(
      defineTool({ name: 't', timeoutMs: 5, handler: () => 'x' }),
      defineTool({ name: 'u', handler: () => 'x' }),
    )
    const entry = entryOf(methods, 'tools/call')
    expect(entry.target?.({ name: 't' }, undefined)?.timeoutMs).toBe(5)
    expect(entry.target?.({ name: 'u' }, undefined)?.timeoutMs).toBeUndefined()
    expect(entry.target?.({ name: 7 }, undefined)?.timeoutMs).toBeUndefined()
  })
})

describe('the arguments of tools/call', () => {
  const forecast = defineTool({
    name: 't',
    inputSchema: z.object({ city: z.string(), days: z.number().int().max(7).default(3) }),
    handler: ({ city, days }) => `${city} ${days}`,
  })

  it('are transformed by the schema before the handler receives them', async () => {
    expect(await callTool(serve(forecast), { city: 'Oslo', other: 1 })).toEqual(textOf('Oslo 3'))
  })

  it('cause an error result that names the field and the reason if they are invalid', async () => {
    let ran = false
    const features = serve({ ...forecast, handler: () => void (ran = true) })
    const { isError, content: blocks } = await callTool(features, { days: 9 })
    const { text } = (blocks as { text: string }[])[0] ?? { text: '' }
    expect(isError).toBe(true)
    expect(text).toMatch(/tool t/)
    expect(text).toMatch(/^city: /m)
    expect(text).toMatch(/^days: .*7/m)
    expect(ran).toBe(false)
  })

  it('are ignored if the tool has no inputSchema and is not strict', async () => {
    const args = { city: 'Oslo' }
    const echo: AnyTool = defineTool({ name: 't', handler: (got) => JSON.stringify(got) })
    for (const given of [{}, args]) expect(await callTool(serve(echo), given)).toEqual(textOf('{}'))
    const strict = serve({ ...echo, strictInput: true })
    expect(await callTool(strict, {})).toEqual(textOf('{}'))
    expect(await callTool(strict, args)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('city: is not a known property') as string }],
    })
  })

  it('are validated against a JSON Schema', async () => {
    const features = serve(
      defineTool({
        name: 't',
        inputSchema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
        handler: ({ a }) => a,
      }),
    )
    expect(await callTool(features, { a: 5 })).toEqual(textOf('5'))
    expect(await callTool(features, {})).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('a: is required') }],
    })
  })

  it('can be validated asynchronously', async () => {
    const features = serve(
      defineTool({
        name: 't',
        inputSchema: z.object({
          a: z.string().refine((value) => Promise.resolve(value !== 'bad'), 'is taken'),
        }),
        handler: ({ a }) => a,
      }),
    )
    expect(await callTool(features, { a: 'good' })).toEqual(textOf('good'))
    expect(await callTool(features, { a: 'bad' })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('a: is taken') }],
    })
  })
})

describe('a result from a tool without an outputSchema', () => {
  const block = content.text('a')
  const cases: [string, unknown, object][] = [
    ['a string', 'x', textOf('x')],
    ['an empty string', '', textOf('')],
    ['undefined', undefined, { content: [] }],
    ['null', null, textOf('null')],
    ['a number', 5, textOf('5')],
    ['NaN, which becomes null', { a: Number.NaN }, textOf('{"a":null}')],
    ['an object', { a: 1 }, textOf('{"a":1}')],
    ['an empty array', [], textOf('[]')],
    ['strings', ['a', 'b'], textOf('["a","b"]')],
    ['a Date', new Date(0), textOf('"1970-01-01T00:00:00.000Z"')],
    ['an object with the type of a block', { type: 'text', path: 'a' }, textOf('{"type":"text","path":"a"}')],
    ['a block', block, textOf('a')],
    [
      'blocks',
      [block, content.text('b')],
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ],
    ['a spread block', { ...block, text: 'b' }, textOf('b')],
    ['a result', result({ content: 'a', _meta: { k: 1 } }), { ...textOf('a'), _meta: { k: 1 } }],
    ['an empty result', result({}), { content: [] }],
    ['an error', result.error('no'), failureOf('no')],
    [
      'a structured value',
      result({ structured: { a: 1 } }),
      { ...textOf('{"a":1}'), structuredContent: { a: 1 } },
    ],
    [
      'a structured value with separate content',
      result({ content: 'one', structured: { a: 1 } }),
      { ...textOf('one'), structuredContent: { a: 1 } },
    ],
    ['a promise', Promise.resolve('x'), textOf('x')],
    // oxlint-disable-next-line unicorn/no-thenable
    ['a thenable', { then: (resolve: (value: string) => void) => resolve('x') }, textOf('x')],
  ]

  it.each(cases)('can be %s', async (_name, value, expected) => {
    expect(JSON.parse(JSON.stringify(await callTool(serve(tool(() => value)))))).toEqual(expected)
    expect(await wire(serve(tool(() => value)).methods, 'tools/call', { name: 't' })).toEqual(expected)
  })

  const cycle: { self?: unknown } = {}
  cycle.self = cycle
  const bad: [string, () => unknown][] = [
    ['a BigInt', () => ({ n: 1n })],
    ['a cycle', () => cycle],
    ['a function', () => () => 1],
    ['a symbol', () => Symbol('x')],
    [
      'a throwing toJSON',
      () => ({
        toJSON: () => {
          throw new Error('secret')
        },
      }),
    ],
    ['blocks among other values', () => [content.text('a'), 'b']],
  ]

  it.each(bad)('cannot be %s, and the error shown to the author names the tool', async (_name, handler) => {
    const error = await errorOf(() => callTool(serve(tool(handler))))
    expect(error).toMatchObject({ name: 'OutputError', message: expect.stringContaining('"t"') })
    expect(await errorOf(() => callTool(serve(tool(async () => handler()))))).toMatchObject({
      name: 'OutputError',
    })
  })

  it('is treated as data if JSON was used to forge the brand of a content block', async () => {
    const forged: unknown = JSON.parse(
      '{"type":"text","text":"x","dev.jetway/brand":"content","Symbol(dev.jetway/brand)":"content"}',
    )
    expect((await callTool(serve(tool(() => forged))))['content']).toEqual([
      { type: 'text', text: JSON.stringify(forged) },
    ])
  })
})

describe("an error thrown by the author's code", () => {
  it.each([
    [
      'synchronously',
      (error: unknown) => {
        throw error
      },
    ],
    [
      'asynchronously',
      async (error: unknown) => {
        throw error
      },
    ],
  ] as [string, (error: unknown) => unknown][])(
    'becomes a tool error for the model if it is a ToolError thrown %s',
    async (_name, fail) => {
      expect(await callTool(serve(tool(() => fail(new ToolError('No such city')))))).toEqual(
        failureOf('No such city'),
      )
      const mcp = new McpError(-32000, 'mine')
      expect(await errorOf(() => callTool(serve(tool(() => fail(mcp)))))).toBe(mcp)
      const other = new Error('password 1234')
      expect(await errorOf(() => callTool(serve(tool(() => fail(other)))))).toBe(other)
      for (const thrown of [undefined, null, 'text', 5]) {
        expect(await errorOf(() => callTool(serve(tool(() => fail(thrown)))))).toBe(thrown)
      }
    },
  )

  it('reaches the dispatcher unchanged if it is a proxy that throws on access', async () => {
    const hostile: unknown = new Proxy(
      {},
      {
        getPrototypeOf: () => {
          throw new Error('secret')
        },
      },
    )
    for (const handler of [
      () => {
        throw hostile
      },
      () => Promise.reject(hostile),
    ]) {
      const error = await errorOf(() => callTool(serve(tool(handler))))
      expect(Object.is(error, hostile)).toBe(true)
    }
  })

  it('becomes a tool error for the model if it is a ToolError thrown by the schema', async () => {
    const inputSchema = z.object({}).transform(() => {
      throw new ToolError('closed today')
    })
    expect(await callTool(serve({ ...tool(() => 'x'), inputSchema }))).toEqual(failureOf('closed today'))
  })

  it("becomes an error result that contains the dispatcher's text", () => {
    const outcome = entryOf(serve(tool(() => 'x')).methods, 'tools/call').failure?.('generic')
    expect(outcome).toMatchObject({ result: failureOf('generic') })
  })
})

describe('a result from a tool with an outputSchema', () => {
  it('contains the value both as structured content and as JSON text', async () => {
    const features = serve(structuredTool(() => ({ high: 1 })))
    expect(await callTool(features)).toMatchObject({
      ...textOf('{"high":1}'),
      structuredContent: { high: 1 },
    })
    expect(await wire(features.methods, 'tools/call', { name: 't' })).toEqual({
      ...textOf('{"high":1}'),
      structuredContent: { high: 1 },
    })
  })

  it('contains only text in a revision without structured content', async () => {
    const { methods } = serve(structuredTool(() => ({ high: 1 })))
    expect(await wire(methods, 'tools/call', { name: 't' }, { revision: '2025-03-26' })).toEqual(
      textOf('{"high":1}'),
    )
  })

  it('is stringified only once', async () => {
    let times = 0
    const value = { high: 1, toJSON: () => (times++, { high: 1 }) }
    await wire(serve(structuredTool(() => value)).methods, 'tools/call', { name: 't' })
    expect(times).toBe(1)
  })

  it('contains only the properties that the zod object declares', async () => {
    const features = serve(structuredTool(() => ({ high: 1, secret: 'x' })))
    expect(await callTool(features)).toMatchObject({
      ...textOf('{"high":1}'),
      structuredContent: { high: 1 },
    })
    expect(JSON.stringify(await wire(features.methods, 'tools/call', { name: 't' }))).not.toContain('secret')
    expect((await callTool(features))['structuredContent']).toEqual({ high: 1 })
  })

  const wrong: [string, unknown][] = [
    ['undefined', undefined],
    ['a missing member', {}],
    ['a member of the wrong type', { high: 'secret' }],
    ['NaN', { high: Number.NaN }],
    ['Infinity', { high: Number.POSITIVE_INFINITY }],
    ['a BigInt', { high: 1n }],
    ['a string', 'text'],
    ['null', null],
    ['a content block', content.text('x')],
    ['a result without a structured value', result({ content: 'x' })],
    ['a result with an invalid structured value', result({ structured: { high: 'x' } })],
  ]

  it.each(wrong)('cannot be %s, and the error shown to the author names the tool', async (_name, value) => {
    for (const handler of [() => value, () => Promise.resolve(value)]) {
      const error = await errorOf(() => callTool(serve(structuredTool(handler))))
      expect(error).toMatchObject({ name: 'OutputError', message: expect.stringContaining('"t"') })
    }
  })

  it('causes an error that names the property if it does not match the schema', async () => {
    const error = await errorOf(() => callTool(serve(structuredTool(() => ({ high: 'x' })))))
    expect((error as Error).message).toMatch(/^high: must be number/m)
  })

  it.each([
    ['has', content.text('[1]'), ['[1]']],
    ['lacks', content.text('[1'), ['[1', '[1]']],
  ])(
    'contains the JSON text of a non-object value exactly once if its content %s that text',
    async (_, block, texts) => {
      const features = serve(
        defineTool({
          name: 't',
          outputSchema: z.array(z.number()),
          handler: () => result({ structured: [1], content: block }),
        }),
      )
      expect(await callTool(features)).toMatchObject({
        content: texts.map((text) => ({ type: 'text', text })),
      })
    },
  )

  it('is not validated if it is an error', async () => {
    expect(await callTool(serve(structuredTool(() => result.error('no'))))).toMatchObject(failureOf('no'))
    const partial = result({ content: 'no', structured: { partly: 1 }, isError: true })
    expect(await callTool(serve(structuredTool(() => partial)))).toMatchObject({
      ...failureOf('no'),
      structuredContent: { partly: 1 },
    })
  })

  it('keeps the content and metadata passed to result()', async () => {
    const whole = result({ content: 'warm', structured: { high: 1 }, _meta: { k: 1 } })
    expect(await callTool(serve(structuredTool(() => whole)))).toMatchObject({
      ...textOf('warm'),
      structuredContent: { high: 1 },
      _meta: { k: 1 },
    })
  })

  it('is not validated if `validateOutput` is false, either for the server or for the tool', async () => {
    const off = structuredTool(() => ({ high: 'x' }), { validateOutput: false })
    expect(await callTool(serve(off))).toMatchObject({ structuredContent: { high: 'x' } })
    const features = createFeatures({
      ...PARTS,
      schemas: tieredEngine(),
      publish: () => {},
      validateOutput: false,
    })
    features.tools.registry.set([structuredTool(() => ({ high: 'x' }))])
    expect(await callTool(features)).toMatchObject({ structuredContent: { high: 'x' } })
    features.tools.registry.set([structuredTool(() => ({ high: 'x' }), { validateOutput: true })])
    expect(await errorOf(() => callTool(features))).toMatchObject({ name: 'OutputError' })
    features.tools.registry.set([structuredTool(() => undefined)])
    expect(await errorOf(() => callTool(features))).toMatchObject({ name: 'OutputError' })
  })

  it('can be a non-object value, which session revisions send as text', async () => {
    const { methods } = serve(
      defineTool({ name: 't', outputSchema: z.array(z.number()), handler: () => [1, 2] }),
    )
    expect(await call(methods, 'tools/call', { name: 't' })).toMatchObject({
      ...textOf('[1,2]'),
      structuredContent: [1, 2],
    })
    expect(await wire(methods, 'tools/call', { name: 't' })).toEqual(textOf('[1,2]'))
  })
})

describe('a synchronous tools/call', () => {
  it('returns a plain value if the schema and the handler are synchronous', () => {
    const features = serve(
      structuredTool(() => ({ high: 1 })),
      defineTool({ name: 'u', inputSchema: z.object({ a: z.string() }), handler: ({ a }) => a }),
    )
    expect(callNow(features.methods, 'tools/call', { name: 't' })).not.toBeInstanceOf(Promise)
    expect(callNow(features.methods, 'tools/call', { name: 'u', arguments: { a: 'x' } })).not.toBeInstanceOf(
      Promise,
    )
    expect(callNow(features.methods, 'tools/call', { name: 'u', arguments: {} })).not.toBeInstanceOf(Promise)
  })

  it('returns a native promise if the handler returns a thenable', () => {
    // oxlint-disable-next-line unicorn/no-thenable
    const features = serve(tool(() => ({ then: (resolve: (value: string) => void) => resolve('x') })))
    expect(callNow(features.methods, 'tools/call', { name: 't' })).toBeInstanceOf(Promise)
  })

  it('calls the handler as a method of its definition', async () => {
    class Greeter implements ToolDefinition<AnySchema | undefined> {
      readonly name = 't'
      readonly greeting = 'hello'
      readonly handler = function (this: Greeter): string {
        return this.greeting
      }
    }
    expect(await callTool(serve(new Greeter()))).toEqual(textOf('hello'))
  })
})

describe('addTool', () => {
  const register = (definition: object): unknown => serve(definition as AnyTool)
  const code = (value: string): unknown => expect.objectContaining({ code: value })
  const handler = (): string => 'x'

  it.each([[''], ['a b'], ['a/b'], ['ä'], ['x'.repeat(129)], [undefined], [5], ['a\n']])(
    'rejects the name %j',
    (name) => {
      expect(() => register({ name, handler })).toThrow(code('ERR_MCP_INVALID_NAME'))
    },
  )

  it.each([['a'], ['x'.repeat(128)], ['A-z_0.9'], ['__proto__'], ['constructor']])(
    'accepts the name %s',
    async (name) => {
      const features = serve(defineTool({ name, handler }))
      expect(await callTool(features, {}, name)).toEqual(textOf('x'))
    },
  )

  it.each([['http://x/y.png'], ['javascript:alert(1)'], ['file:///x'], ['y.png'], [5], [undefined]])(
    'rejects the icon %j',
    (src) => {
      expect(() => register({ name: 't', handler, icons: [{ src }] })).toThrow(
        expect.objectContaining({ code: 'ERR_MCP_INVALID_ICON', message: expect.stringContaining('"t"') }),
      )
    },
  )

  it('accepts https: and data: icons', async () => {
    const icons = [{ src: 'https://x.test/y.png' }, { src: 'data:image/png;base64,AAAA', sizes: ['48x48'] }]
    const { methods } = serve(defineTool({ name: 't', handler, icons }))
    expect(await wire(methods, 'tools/list')).toMatchObject({ tools: [{ icons }] })
  })

  it.each([
    ['no handler', { name: 't' }, 'handler'],
    ['a handler that is not a function', { name: 't', handler: 'x' }, 'handler'],
    ['a timeout of 0', { name: 't', handler, timeoutMs: 0 }, 'timeoutMs'],
    ['an infinite timeout', { name: 't', handler, timeoutMs: Number.POSITIVE_INFINITY }, 'timeoutMs'],
    ['a timeout that is too long for timers', { name: 't', handler, timeoutMs: 2 ** 31 }, 'timeoutMs'],
    ['a description that is not a string', { name: 't', handler, description: 5 }, 'description'],
    ['metadata that is not an object', { name: 't', handler, _meta: [] }, '_meta'],
    ['metadata that cannot be serialised as JSON', { name: 't', handler, _meta: { n: 1n } }, 'JSON'],
  ])('rejects %s, with an error that names the tool', (_name, definition, word) => {
    expect(() => register(definition)).toThrow(
      expect.objectContaining({
        code: 'ERR_MCP_INVALID_DEFINITION',
        message: expect.stringMatching(new RegExp(`"t".*${word}`)),
      }),
    )
  })

  it('rejects a schema that does not compile, with an error that names the tool', () => {
    expect(() => register({ name: 't', handler, inputSchema: { type: 'nonsense' } })).toThrow(
      expect.objectContaining({ code: 'ERR_MCP_SCHEMA_INVALID', message: expect.stringContaining('"t"') }),
    )
    expect(() => register({ name: 't', handler, inputSchema: { type: 'string' } })).toThrow(
      code('ERR_MCP_SCHEMA_INVALID'),
    )
    expect(() => register({ name: 't', handler, outputSchema: 5 })).toThrow(
      code('ERR_MCP_SCHEMA_UNSUPPORTED'),
    )
  })
})
