import { describe, expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import { content, result } from '../../src/features/content/content.ts'
import {
  type AnyDefinition,
  definePrompt,
  defineResource,
  defineResourceTemplate,
  defineTool,
} from '../../src/features/define.ts'
import { message, messages } from '../../src/features/prompts/prompt-messages.ts'
import type { AnyPrompt } from '../../src/features/prompts/prompt-types.ts'
import type { AnyResourceTemplate } from '../../src/features/resources/resource-types.ts'
import type { CallToolResult } from '../../src/protocol/types.ts'
import type { AnyTool } from '../../src/features/tools/tool-types.ts'
import type { RequestContext } from '../../src/call/request-context.ts'

interface App {
  readonly db: { query(): string }
}
interface Locals {
  readonly user: string
}

const inputSchema = z.object({ city: z.string(), days: z.number().default(3) })
const outputSchema = z.object({ high: z.number(), low: z.number() })

describe('tool types', () => {
  it('give the handler the output type of the schema', () => {
    defineTool({
      name: 'a',
      inputSchema,
      handler: (args, ctx) => {
        expectTypeOf(args).toEqualTypeOf<{ city: string; days: number }>()
        expectTypeOf(ctx.signal).toEqualTypeOf<AbortSignal>()
      },
    })
    defineTool({
      name: 'a',
      inputSchema: { type: 'object' },
      handler: (args) => expectTypeOf(args).toEqualTypeOf<Record<string, unknown>>(),
    })
  })

  it('give a handler no arguments if there is no inputSchema', () => {
    defineTool({
      name: 'a',
      handler: (args) => {
        // @ts-expect-error no argument is declared
        const city: string = args.city
        return city
      },
    })
  })

  it('do not depend on the order of members', () => {
    defineTool({
      async handler({ city, days }) {
        expectTypeOf(city).toEqualTypeOf<string>()
        return { high: days, low: 1 }
      },
      outputSchema,
      inputSchema,
      name: 'a',
    })
  })

  it('require the handler to match the outputSchema', () => {
    defineTool({ name: 'a', outputSchema, handler: () => ({ high: 1, low: 0 }) })
    defineTool({ name: 'a', outputSchema, handler: () => Promise.resolve({ high: 1, low: 0 }) })
    // @ts-expect-error a member is missing
    defineTool({ name: 'a', outputSchema, handler: () => ({ high: 1 }) })
    // @ts-expect-error a member is missing in a promise
    defineTool({ name: 'a', outputSchema, handler: async () => ({ high: 1 }) })
    // @ts-expect-error a member has another type
    defineTool({ name: 'a', outputSchema, handler: () => ({ high: 1, low: '0' }) })
    // @ts-expect-error nothing is returned
    defineTool({ name: 'a', outputSchema, handler: () => {} })
    // @ts-expect-error one branch returns nothing
    defineTool({ name: 'a', inputSchema, outputSchema, handler: ({ city }) => city === '' ? undefined : { high: 1, low: 0 } }) // prettier-ignore
    // @ts-expect-error a string is not a structured value
    defineTool({ name: 'a', outputSchema, handler: () => 'warm' })
    // @ts-expect-error content is not a structured value
    defineTool({ name: 'a', outputSchema, handler: () => content.text('warm') })
  })

  it('require the structured value of result() to match the outputSchema', () => {
    defineTool({ name: 'a', outputSchema, handler: () => result({ structured: { high: 1, low: 0 } }) })
    defineTool({ name: 'a', outputSchema, handler: () => result.error('No forecast') })
    defineTool({ name: 'a', outputSchema, handler: () => result({ content: 'No forecast', isError: true }) })
    defineTool({
      name: 'a',
      outputSchema,
      handler: (_args, ctx) => (ctx.uri === '' ? result.error('No forecast') : { high: 1, low: 0 }),
    })
    // @ts-expect-error the structured value lacks a member
    defineTool({ name: 'a', outputSchema, handler: () => result({ structured: { high: 1 } }) })
    // @ts-expect-error there is no structured value
    defineTool({ name: 'a', outputSchema, handler: () => result({ content: 'warm' }) })
  })

  it("accept a result in the protocol's form, and check its structured value against the outputSchema", () => {
    const structuredContent = { high: 1, low: 0 }
    defineTool({ name: 'a', handler: () => ({ content: [{ type: 'text', text: 'warm' }] }) })
    defineTool({
      name: 'a',
      outputSchema,
      handler: () => ({ content: [{ type: 'text', text: 'warm' }], structuredContent }),
    })
    defineTool({
      name: 'a',
      outputSchema,
      handler: async (_args, ctx) =>
        ctx.uri === ''
          ? { content: [{ type: 'text', text: 'No forecast' }], isError: true }
          : { content: [], structuredContent, _meta: { 'com.example/kind': 1 } },
    })
    defineTool({
      name: 'a',
      outputSchema: z.object({ state: z.enum(['open', 'closed']) }),
      handler: () => ({ content: [], structuredContent: { state: 'open' } }),
    })
    defineTool({
      name: 'a',
      outputSchema: { type: 'object' },
      handler: (): CallToolResult => ({ content: [], structuredContent }),
    })
    // @ts-expect-error there is no structured value
    defineTool({ name: 'a', outputSchema, handler: () => ({ content: [{ type: 'text', text: 'warm' }] }) })
    // @ts-expect-error the structured value lacks a member
    defineTool({ name: 'a', outputSchema, handler: () => ({ content: [], structuredContent: { high: 1 } }) })
    const tool = { name: 'a', outputSchema }
    // @ts-expect-error a block has a type of the protocol
    defineTool({ ...tool, handler: () => ({ content: [{ type: 'txt' }], structuredContent }) })
    // @ts-expect-error a text block has a text
    defineTool({ ...tool, handler: () => ({ content: [{ type: 'text' }], structuredContent }) })
    defineTool({
      name: 'a',
      outputSchema: z.object({ content: z.array(z.object({ type: z.string() })) }),
      handler: () => ({ content: [{ type: 'paragraph' }] }),
    })
    const declared = z.object({ content: z.string() })
    defineTool({ name: 'a', outputSchema: declared, handler: () => ({ content: [], isError: true }) })
    defineTool({
      name: 'a',
      outputSchema: declared,
      handler: () => ({ content: [{ type: 'text', text: 'x' }], structuredContent: { content: 'x' } }),
    })
    // @ts-expect-error the schema defines content
    defineTool({ name: 'a', outputSchema: declared, handler: () => ({ content: [] }) })
  })

  it('keep literal types from widening to string in every form of handler', () => {
    const states = z.object({
      state: z.enum(['open', 'closed']),
      tags: z.array(z.literal('new')),
      on: z.literal(true),
    })
    defineTool({
      name: 'a',
      outputSchema: states,
      handler: () => ({ state: 'open', tags: ['new'], on: true }),
    })
    defineTool({
      name: 'a',
      outputSchema: states,
      handler: async () => ({ state: 'open', tags: ['new'], on: true }),
    })
    defineTool({
      name: 'a',
      async handler() {
        return { state: 'open', tags: ['new'], on: true }
      },
      outputSchema: states,
    })
    const structured = { state: 'open', tags: ['new'], on: true } as const
    defineTool({
      name: 'a',
      outputSchema: states,
      handler: () => result({ structured: { state: 'open', tags: ['new'], on: true }, content: 'x' }),
    })
    defineTool({ name: 'a', outputSchema: z.object({ state: z.literal('open') }), handler: () => structured })
    // @ts-expect-error not one of the states
    defineTool({ name: 'a', outputSchema: states, handler: () => ({ state: 'ajar', tags: [], on: true }) })
    const ajar = () => result({ structured: { state: 'ajar', tags: [], on: true } })
    // @ts-expect-error not one of the states, in a result
    defineTool({ name: 'a', outputSchema: states, handler: ajar })
    defineTool({ name: 'a', outputSchema: z.literal('open'), handler: () => 'open' })
    defineTool({ name: 'a', outputSchema: z.array(z.enum(['x', 'y'])), handler: async () => ['x', 'y'] })
  })

  it('let a handler without an outputSchema return anything', () => {
    class Own {
      readonly value: unknown = 1
    }
    const unknown: unknown = 5
    defineTool({ name: 'a', handler: () => {} })
    defineTool({ name: 'a', handler: async () => {} })
    defineTool({ name: 'a', handler: () => unknown })
    defineTool({ name: 'a', handler: () => new Own() })
    defineTool({ name: 'a', handler: () => [new Own(), null, () => 1, 1n] })
    defineTool({ name: 'a', handler: (): { deep: { interface: Own }[] } => ({ deep: [] }) })
    const returned = [
      'text',
      5,
      undefined,
      { a: 1 },
      content.text('x'),
      [content.text('x')],
      result({ content: 'x' }),
    ]
    for (const value of returned) defineTool({ name: 'a', handler: () => value })
  })

  it('check the types of app and locals', () => {
    const mine = defineTool({
      name: 'a',
      inputSchema,
      handler: ({ city }, ctx: RequestContext<App, Locals>) => city + ctx.app.db.query() + ctx.locals.user,
    })
    const any = defineTool({ name: 'b', inputSchema, handler: ({ city }) => city })
    const fitting: AnyTool<App, Locals>[] = [mine, any]
    // @ts-expect-error this server has no such app
    const foreign: AnyTool<{ other: 1 }, Locals>[] = [mine]
    expectTypeOf(fitting).not.toEqualTypeOf(foreign)
  })

  it('allow all kinds of definitions in a single list', () => {
    const all: AnyDefinition<App, Locals>[] = [
      defineTool({ name: 'a', inputSchema, outputSchema, handler: () => ({ high: 1, low: 0 }) }),
      defineTool({
        name: 'b',
        handler: (_args, ctx) => {
          expectTypeOf(ctx.locals).toEqualTypeOf<Locals>()
          return ctx.app.db.query()
        },
      }),
      defineResource({ uri: 'a://b', name: 'a', handler: () => 'x' }),
      defineResourceTemplate({ uriTemplate: 'a://{b}', name: 'a', handler: ({ b }) => b }),
      definePrompt({ name: 'a', argsSchema: z.object({ city: z.string() }), handler: ({ city }) => city }),
    ]
    expectTypeOf(all).toBeArray()
    // @ts-expect-error a plain definition does not tell its kind
    const plain: AnyDefinition<App, Locals> = { name: 'a', handler: () => 'x' }
    expectTypeOf(plain).toBeObject()
  })
})

describe('resource template types', () => {
  it('are inferred from the template literal', () => {
    defineResourceTemplate({
      uriTemplate: 'weather://{country}/{city}{?days}',
      name: 'city',
      complete: { city: (_value, _ctx, state) => [String(state.arguments['country'])] },
      handler: (variables, ctx) => {
        expectTypeOf(variables).toEqualTypeOf<{ country: string; city: string; days?: string }>()
        expectTypeOf(ctx.uri).toEqualTypeOf<string>()
      },
    })
  })

  it('reject completers for unknown variables, and lists of values that are not resources', () => {
    defineResourceTemplate({
      uriTemplate: 'weather://{city}',
      name: 'city',
      // @ts-expect-error the template has no such variable
      complete: { country: () => [] },
      handler: () => 'x',
    })
    defineResourceTemplate({
      uriTemplate: 'weather://{city}',
      name: 'city',
      // @ts-expect-error a resource has a name
      list: () => [{ uri: 'weather://oslo' }],
      handler: () => 'x',
    })
  })

  it('allow typed templates in a list', () => {
    const list: AnyResourceTemplate<App, Locals>[] = [
      defineResourceTemplate({
        uriTemplate: 'a://{b}',
        name: 'a',
        complete: { b: () => ['x'] },
        handler: ({ b }) => b,
      }),
    ]
    expectTypeOf(list).toBeArray()
  })
})

describe('prompt types', () => {
  it('give the handler the output type of the schema', () => {
    definePrompt({
      name: 'a',
      argsSchema: z.object({ city: z.string(), days: z.string().transform(Number).optional() }),
      complete: { days: () => ['1', '2'] },
      handler: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ city: string; days?: number | undefined }>()
        return args.city
      },
    })
  })

  it('reject a schema with non-string properties', () => {
    // @ts-expect-error clients send only strings
    definePrompt({ name: 'a', argsSchema: z.object({ days: z.number() }), handler: () => 'x' })
  })

  it('are inferred from a list of argument definitions', () => {
    definePrompt({
      name: 'a',
      arguments: [{ name: 'the city', required: true }, { name: 'days' }],
      complete: { 'the city': () => ['Oslo'] },
      handler: (args) => {
        expectTypeOf(args['the city']).toEqualTypeOf<string>()
        expectTypeOf(args.days).toEqualTypeOf<string | undefined>()
        return args['the city']
      },
    })
    definePrompt({
      name: 'a',
      arguments: [{ name: 'city' }],
      // @ts-expect-error there is no such argument
      complete: { country: () => [] },
      handler: () => 'x',
    })
  })

  it('reject values other than messages as results', () => {
    definePrompt({ name: 'a', handler: () => [message.user('a'), message.assistant(content.text('b'))] })
    definePrompt({
      name: 'a',
      handler: async () => messages({ description: 'b', messages: [message.user('a')] }),
    })
    definePrompt({
      name: 'a',
      handler: () => ({
        description: 'b',
        messages: [{ role: 'user', content: { type: 'text', text: 'x' } }],
      }),
    })
    const block = content.text('x')
    // @ts-expect-error a text block has a text
    definePrompt({ name: 'a', handler: () => ({ messages: [{ role: 'user', content: { type: 'text' } }] }) })
    // @ts-expect-error the protocol has no such role
    definePrompt({ name: 'a', handler: () => ({ messages: [{ role: 'system', content: block }] }) })
    // @ts-expect-error a number is not a message
    definePrompt({ name: 'a', handler: () => 5 })
    // @ts-expect-error only helpers make messages
    definePrompt({ name: 'a', handler: () => [{ role: 'user', content: { type: 'text', text: 'x' } }] })
    // @ts-expect-error undefined is not a message
    definePrompt({ name: 'a', handler: () => {} })
  })

  it('allow typed prompts in a list', () => {
    const list: AnyPrompt<App, Locals>[] = [
      definePrompt({
        name: 'a',
        argsSchema: z.object({ city: z.string() }),
        complete: { city: () => [] },
        handler: ({ city }) => city,
      }),
      definePrompt({ name: 'b', arguments: [{ name: 'x', required: true }], handler: ({ x }) => x }),
    ]
    expectTypeOf(list).toBeArray()
  })
})
