import { describe, expect, it } from 'vitest'
import { McpError } from '../../src/errors.ts'
import type { Completer } from '../../src/features/completers.ts'
import { definePrompt, defineResourceTemplate } from '../../src/features/define.ts'
import { createFeatures, type Features } from '../../src/features/features.ts'
import { tieredEngine } from '../../src/schema/tiered-engine.ts'
import { call, callNow, errorOf, mcpErrorOf } from './helpers.ts'
import { PARTS } from './parts.ts'

function serve(completer: Completer): Features {
  const features = createFeatures({ ...PARTS, schemas: tieredEngine(), publish: () => {} })
  features.prompts.registry.add(
    definePrompt({
      name: 'p',
      arguments: [{ name: 'city' }, { name: 'plain' }],
      complete: { city: completer },
      handler: () => 'x',
    }),
  )
  features.resources.templates.registry.add(
    defineResourceTemplate({
      uriTemplate: 'w://{country}/{city}',
      name: 'w',
      complete: { city: completer },
      handler: () => 'x',
    }),
  )
  features.resources.registry.add({ uri: 'a://b', name: 'b', handler: () => 'x' })
  return features
}

const PROMPT = { type: 'ref/prompt', name: 'p' }
const asking = (value = 'o', ref: unknown = PROMPT, name = 'city'): Record<string, unknown> => ({
  ref,
  argument: { name, value },
})
const ask = (features: Features, params = asking()): ReturnType<typeof call> =>
  call(features.methods, 'completion/complete', params)
const numbers = (length: number): string[] => Array.from({ length }, (_, i) => String(i))

describe('completion/complete', () => {
  it.each([
    ['a prompt', PROMPT],
    ['a resource template', { type: 'ref/resource', uri: 'w://{country}/{city}' }],
    ['a URI that matches the template', { type: 'ref/resource', uri: 'w://no/oslo' }],
  ])('calls the completer for %s with the value, the context and the other arguments', async (_kind, ref) => {
    const features = serve((value, ctx, state) => [value, ctx.protocolVersion, JSON.stringify(state)])
    const params = { ...asking('o', ref), context: { arguments: { country: 'no' } } }
    expect(await ask(features, params)).toEqual({
      completion: {
        values: ['o', '2025-11-25', '{"arguments":{"country":"no"}}'],
        total: 3,
        hasMore: false,
      },
    })
  })

  it('passes empty arguments to the completer if the request has no context', async () => {
    const features = serve((_value, _ctx, state) => [JSON.stringify(state)])
    const expected = { completion: { values: ['{"arguments":{}}'] } }
    expect(await ask(features)).toMatchObject(expected)
    expect(await ask(features, { ...asking(), context: {} })).toMatchObject(expected)
    expect(await ask(features, { ...asking(), context: { arguments: null } })).toMatchObject(expected)
  })

  it.each([
    ['100 values', numbers(100), { total: 100, hasMore: false }, 100],
    ['101 values', numbers(101), { total: 101, hasMore: true }, 100],
    ['a total', { values: ['a'], total: 7 }, { total: 7, hasMore: true }, 1],
    ['a total equal to the number of values', { values: ['a'], total: 1 }, { total: 1, hasMore: false }, 1],
    ['a total below the number of values', { values: ['a', 'b'], total: 1 }, { total: 1, hasMore: false }, 2],
    ['a total that is not a number', { values: ['a'], total: '7' as never }, { total: 1, hasMore: false }, 1],
    [
      'a hasMore that is not a boolean',
      { values: ['a'], hasMore: 'yes' as never },
      { total: 1, hasMore: false },
      1,
    ],
    ['a total and hasMore', { values: ['a'], total: 1, hasMore: true }, { total: 1, hasMore: true }, 1],
    ['hasMore without a total', { values: ['a'], hasMore: true }, { hasMore: true }, 1],
    ['a total and too many values', { values: numbers(200), total: 500 }, { total: 500, hasMore: true }, 100],
    ['no values', [], { total: 0, hasMore: false }, 0],
  ])(
    'sends at most 100 values, and reports whether there are more: %s',
    async (_name, suggested, counts, length) => {
      for (const completer of [() => suggested, () => Promise.resolve(suggested)]) {
        const { completion } = (await ask(serve(completer))) as { completion: { values: string[] } }
        const { values, ...rest } = completion
        expect(values).toHaveLength(length)
        expect(rest).toEqual(counts)
      }
    },
  )

  it.each([
    ['an argument without a completer', asking('o', PROMPT, 'plain')],
    ['an inherited property name as argument', asking('o', PROMPT, 'constructor')],
    ['an unknown argument', asking('o', PROMPT, '__proto__')],
    [
      'a variable without a completer',
      asking('o', { type: 'ref/resource', uri: 'w://{country}/{city}' }, 'country'),
    ],
    ['a fixed resource', asking('o', { type: 'ref/resource', uri: 'a://b' })],
  ])('returns no values for %s', async (_name, params) => {
    const features = serve(() => ['wrong'])
    expect(await ask(features, params)).toEqual({ completion: { values: [], total: 0, hasMore: false } })
  })

  it.each([
    ['an unknown prompt', asking('o', { type: 'ref/prompt', name: 'q' })],
    ['an unknown resource', asking('o', { type: 'ref/resource', uri: 'q://x' })],
    ['an unknown kind', asking('o', { type: 'ref/tool', name: 'p' })],
    ['a prompt without a name', asking('o', { type: 'ref/prompt' })],
    ['no ref', asking('o', null)],
    ['no argument', { ref: PROMPT }],
    ['a name that is not a string', { ref: PROMPT, argument: { name: 5, value: 'x' } }],
    ['an argument that is null', { ref: PROMPT, argument: null }],
    ['context arguments that are an array', { ...asking(), context: { arguments: ['a'] } }],
    ['a context that is null', { ...asking(), context: null }],
    ['a value that is not a string', { ref: PROMPT, argument: { name: 'city', value: 5 } }],
    ['a context that is not an object', { ...asking(), context: 5 }],
    ['context arguments that are not strings', { ...asking(), context: { arguments: { a: 5 } } }],
  ])('rejects %s with -32602', async (_name, params) => {
    expect(
      (
        await mcpErrorOf(() =>
          ask(
            serve(() => ['wrong']),
            params,
          ),
        )
      ).code,
    ).toBe(-32602)
  })

  it('rejects a resource with -32602 if the server has only prompts', async () => {
    const features = createFeatures({ ...PARTS, schemas: tieredEngine(), publish: () => {} })
    expect((await mcpErrorOf(() => ask(features))).code).toBe(-32601)
    features.prompts.registry.set([])
    const params = asking('o', { type: 'ref/resource', uri: 'a://b' })
    expect((await mcpErrorOf(() => ask(features, params))).code).toBe(-32602)
  })

  it.each([[undefined], [5], ['abc'], [[1]], [{}], [{ values: 'abc' }]])(
    "reports an error to the server's author, not to the client, if the completer returns %j",
    async (suggested) => {
      const error = await errorOf(() => ask(serve(() => suggested as never)))
      expect(error).toMatchObject({ name: 'OutputError' })
      expect(error).not.toBeInstanceOf(McpError)
    },
  )

  it('responds synchronously if the completer is synchronous', () => {
    expect(callNow(serve(() => []).methods, 'completion/complete', asking())).not.toBeInstanceOf(Promise)
  })
})
