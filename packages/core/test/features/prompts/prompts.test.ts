import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { McpError } from '../../../src/errors.ts'
import { content } from '../../../src/features/content/content.ts'
import { definePrompt } from '../../../src/features/define.ts'
import { createFeatures, type Features } from '../../../src/features/features.ts'
import { message, messages } from '../../../src/features/prompts/prompt-messages.ts'
import type { AnyPrompt } from '../../../src/features/prompts/prompt-types.ts'
import { tieredEngine } from '../../../src/schema/tiered-engine.ts'
import { call, callNow, entryOf, errorOf, mcpErrorOf, wire } from '../helpers.ts'
import { PARTS } from '../parts.ts'

function serve(...prompts: AnyPrompt[]): Features {
  const features = createFeatures({ ...PARTS, schemas: tieredEngine(), publish: () => {} })
  features.prompts.registry.set(prompts)
  return features
}

const get = (features: Features, args?: unknown, name: unknown = 'p'): ReturnType<typeof call> =>
  wire(features.methods, 'prompts/get', { name, ...(args !== undefined && { arguments: args }) })

const returning = (value: unknown, more: object = {}): Features =>
  serve({ name: 'p', handler: () => value, ...more } as AnyPrompt)
const text = (role: string, words: string): object => ({ role, content: { type: 'text', text: words } })

describe('the result of prompts/get', () => {
  const image = content.image('AQID', 'image/png')
  const cases: [string, unknown, object][] = [
    ['is a user message for a string', 'x', { messages: [text('user', 'x')] }],
    [
      'is a user message for a block',
      image,
      { messages: [{ role: 'user', content: { type: 'image', data: 'AQID', mimeType: 'image/png' } }] },
    ],
    ['is the returned message', message.assistant('x'), { messages: [text('assistant', 'x')] }],
    [
      'keeps the order of messages',
      [message.user('x'), message.assistant(content.text('y'))],
      { messages: [text('user', 'x'), text('assistant', 'y')] },
    ],
    [
      'has the members of messages()',
      messages({ description: 'D', messages: [message.user('x')], _meta: { k: 1 } }),
      { description: 'D', messages: [text('user', 'x')], _meta: { k: 1 } },
    ],
    ['can be made from a list', messages([message.user('x')]), { messages: [text('user', 'x')] }],
  ]

  it.each(cases)('%s', async (_name, value, expected) => {
    expect(await get(returning(value))).toEqual(expected)
    expect(await get(returning(Promise.resolve(value)))).toEqual(expected)
  })

  it("has the definition's description unless the handler returns its own", async () => {
    expect(await get(returning('x', { description: 'Mine' }))).toMatchObject({ description: 'Mine' })
    const own = messages({ description: 'Own', messages: [message.user('x')] })
    expect(await get(returning(own, { description: 'Mine' }))).toMatchObject({ description: 'Own' })
    const none = messages([message.user('x')])
    expect(await get(returning(none, { description: 'Mine' }))).toMatchObject({ description: 'Mine' })
  })

  it.each([
    ['undefined', undefined],
    ['a number', 5],
    ['no value', []],
    ['messages made without the helpers', [{ role: 'user', content: { type: 'text', text: 'x' } }]],
    ['messages among other values', [message.user('x'), 'y']],
    ['an object that is not a result', { message: 'x' }],
  ])('is replaced with an error that hides the cause from the client: %s', async (_name, value) => {
    const error = await errorOf(() => get(returning(value)))
    expect(error).toMatchObject({ name: 'OutputError', message: expect.stringContaining('"p"') })
    expect(error).not.toBeInstanceOf(McpError)
  })

  it('can contain only messages created by the helpers', () => {
    const wrong = expect.objectContaining({ code: 'ERR_MCP_INVALID_DEFINITION' })
    expect(() => message.user({ type: 'text', text: 'x' } as never)).toThrow(wrong)
    expect(() => message.user([content.text('x')] as never)).toThrow(wrong)
    expect(() => messages([{ role: 'user', content: content.text('x') } as never])).toThrow(wrong)
  })

  it('is returned synchronously if the handler is synchronous', () => {
    expect(callNow(returning('x').methods, 'prompts/get', { name: 'p' })).not.toBeInstanceOf(Promise)
  })
})

describe('the arguments of prompts/get', () => {
  const brief = definePrompt({
    name: 'p',
    argsSchema: z.object({ city: z.string().min(2), days: z.string().transform(Number).optional() }),
    handler: ({ city, days }) => `${city} ${typeof days} ${days}`,
  })
  const listed = definePrompt({
    name: 'p',
    arguments: [{ name: 'the city', title: 'City', description: 'Where', required: true }, { name: 'days' }],
    handler: (args) => JSON.stringify(args),
  })

  it('are transformed by the schema before the handler receives them', async () => {
    expect(await get(serve(brief), { city: 'Oslo', days: '3' })).toEqual({
      messages: [text('user', 'Oslo number 3')],
    })
  })

  it('are limited to the names that the prompt lists', async () => {
    expect(await get(serve(listed), { 'the city': 'Oslo', other: 'x' })).toEqual({
      messages: [text('user', '{"the city":"Oslo"}')],
    })
  })

  it('are all passed to the schema if the prompt has a schema', async () => {
    const argsSchema = z.object({ city: z.string() }).catchall(z.string())
    const prompt = definePrompt({ name: 'p', argsSchema, handler: (args) => JSON.stringify(args) })
    expect(await get(serve(prompt), { city: 'Oslo', other: 'x' })).toEqual({
      messages: [text('user', '{"city":"Oslo","other":"x"}')],
    })
  })

  it.each([
    ['a schema', brief, 'Missing argument: city'],
    ['a list', listed, 'Missing argument: the city'],
  ] as [string, AnyPrompt, string][])(
    'cause error -32602, which names a missing argument required by %s',
    async (_kind, prompt, name) => {
      for (const args of [undefined, {}, { days: '3' }]) {
        const error = await mcpErrorOf(() => get(serve(prompt), args))
        expect(error.code).toBe(-32602)
        expect(error.message).toContain(name)
      }
    },
  )

  it('cause error -32602 with the reason if they are invalid', async () => {
    const error = await mcpErrorOf(() => get(serve(brief), { city: 'O' }))
    expect(error.code).toBe(-32602)
    expect(error.message).toMatch(/^city: /m)
  })

  it.each([[5], [null], [true], [{}], [['x']]])(
    'cause error -32602 if they are not strings: %j',
    async (value) => {
      for (const prompt of [brief, listed] as AnyPrompt[]) {
        const error = await mcpErrorOf(() =>
          get(serve(prompt), { city: 'Oslo', 'the city': 'Oslo', days: value }),
        )
        expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('days') })
      }
    },
  )

  it.each([[5], ['x'], [null], [[]]])(
    'cause error -32602 if they are not passed as an object: %j',
    async (args) => {
      expect((await mcpErrorOf(() => get(serve(listed), args))).code).toBe(-32602)
    },
  )

  it('do not include inherited properties', async () => {
    const prompt = definePrompt({
      name: 'p',
      arguments: [{ name: 'constructor', required: true }],
      handler: () => 'x',
    })
    expect((await mcpErrorOf(() => get(serve(prompt), {}))).code).toBe(-32602)
  })

  it('can be validated asynchronously', async () => {
    const argsSchema = z.object({
      a: z.string().refine((value) => Promise.resolve(value !== 'bad'), 'is taken'),
    })
    const features = serve(definePrompt({ name: 'p', argsSchema, handler: ({ a }) => a }))
    expect(await get(features, { a: 'good' })).toEqual({ messages: [text('user', 'good')] })
    expect(await mcpErrorOf(() => get(features, { a: 'bad' }))).toMatchObject({
      code: -32602,
      message: expect.stringContaining('is taken'),
    })
  })
})

describe('the prompt named in prompts/get', () => {
  it.each([['q'], ['__proto__'], [5], [null]])('causes error -32602 if it is unknown: %j', async (name) => {
    expect((await mcpErrorOf(() => get(returning('x'), {}, name))).code).toBe(-32602)
  })

  it('has its name truncated in the error if it is unknown', async () => {
    const error = await mcpErrorOf(() => get(returning('x'), {}, 'n'.repeat(5000)))
    expect(error.message).toBe(`Unknown prompt: ${'n'.repeat(128)}`)
  })

  it('causes error -32601 if the server has never registered a prompt', async () => {
    const { methods } = createFeatures({ ...PARTS, schemas: tieredEngine(), publish: () => {} })
    expect((await mcpErrorOf(() => call(methods, 'prompts/list'))).code).toBe(-32601)
    expect((await mcpErrorOf(() => call(methods, 'prompts/get', { name: 'p' }))).code).toBe(-32601)
  })

  it('can have its own timeout', () => {
    expect(
      entryOf(returning('x', { timeoutMs: 5 }).methods, 'prompts/get').target?.({ name: 'p' }, undefined)
        ?.timeoutMs,
    ).toBe(5)
  })
})

describe('prompts/list', () => {
  it('lists prompts and their arguments', async () => {
    const features = serve(
      definePrompt({
        name: 'a b',
        title: 'A',
        description: 'D',
        _meta: { k: 1 },
        argsSchema: z.object({ city: z.string().describe('Where'), days: z.string().optional() }),
        handler: () => 'x',
      }),
      definePrompt({
        name: 'b',
        arguments: [{ name: 'the city', title: 'City', required: true }],
        handler: () => 'x',
      }),
      definePrompt({ name: 'c', handler: () => 'x' }),
    )
    expect(await wire(features.methods, 'prompts/list')).toEqual({
      prompts: [
        {
          name: 'a b',
          title: 'A',
          description: 'D',
          _meta: { k: 1 },
          arguments: [
            { name: 'city', description: 'Where', required: true },
            { name: 'days', required: false },
          ],
        },
        { name: 'b', arguments: [{ name: 'the city', title: 'City', required: true }] },
        { name: 'c' },
      ],
    })
  })
})

describe('addPrompt', () => {
  const handler = (): string => 'x'

  it.each([
    ['no handler', { name: 'p' }],
    ['both argsSchema and arguments', { name: 'p', handler, argsSchema: z.object({}), arguments: [] }],
    ['a repeated argument', { name: 'p', handler, arguments: [{ name: 'a' }, { name: 'a' }] }],
    ['arguments that are not an array', { name: 'p', handler, arguments: { a: {} } }],
    ['a completer for an unknown argument', { name: 'p', handler, complete: { a: () => [] } }],
  ])('rejects %s', (_name, definition) => {
    expect(() => serve(definition as unknown as AnyPrompt)).toThrow(
      expect.objectContaining({
        code: 'ERR_MCP_INVALID_DEFINITION',
        message: expect.stringContaining('"p"'),
      }),
    )
  })

  it('rejects an empty name, and a schema with non-string properties', () => {
    const unnamed = [
      { name: '', handler },
      { name: 'p', handler, arguments: [{ name: '' }] },
    ]
    for (const definition of unnamed)
      expect(() => serve(definition)).toThrow(expect.objectContaining({ code: 'ERR_MCP_INVALID_NAME' }))
    const argsSchema = z.object({ days: z.number() }) as never
    expect(() => serve({ name: 'p', handler, argsSchema })).toThrow(
      expect.objectContaining({ code: 'ERR_MCP_SCHEMA_INVALID' }),
    )
  })
})
