import { describe, expectTypeOf, it } from 'vitest'
import * as v from 'valibot'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import * as z from 'zod'
import * as z3 from 'zod3'
import { asks } from '../../../src/features/tools/asks.ts'
import type { NoAsksAboveHandler } from '../../../src/call/request-context.ts'
import { defineTool, type AnyDefinition, definePrompt, defineResource } from '../../../src/features/define.ts'
import { inputRequired } from '../../../src/features/tools/input-required.ts'
import type { AnyTool } from '../../../src/features/tools/tool-types.ts'
import type { RequestContext } from '../../../src/call/request-context.ts'
import {
  elicit,
  elicitUrl,
  listRoots,
  type Question,
  type Root,
  sample,
  type Sampled,
  type Seen,
} from '../../../src/call/input/question.ts'
import { McpServer } from '../../../src/server/mcp-server.ts'
import type { JsonSchema, StandardSchema } from '../../../src/schema/types.ts'
import { zod3 } from '@jetway/zod3'

const inputSchema = z.object({ path: z.string(), depth: z.number().default(1) })
const ok = z.object({ ok: z.boolean() })
const count = z.object({ n: z.number() })
interface Ok {
  ok: boolean
}
type Form = Record<string, unknown>
const isEmpty = async (path: string): Promise<boolean> => path === ''

describe("a question's result", () => {
  it('has the output type of its schema', () => {
    expectTypeOf(elicit('?', ok)).toEqualTypeOf<Question<Ok>>()
    expectTypeOf(elicit('?', z.object({ at: z.coerce.date().optional() }))).toEqualTypeOf<
      Question<{ at?: Date | undefined }>
    >()
  })

  it('is inferred from a simple JSON Schema, and is an object otherwise', () => {
    expectTypeOf(
      elicit('?', { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] }),
    ).toExtend<Question<{ readonly ok: boolean }>>()
    const schema: JsonSchema = { type: 'object' }
    expectTypeOf(elicit('?', schema)).toEqualTypeOf<Question<Form>>()
  })

  it('is inferred from a Standard Schema', () => {
    const schema = toStandardJsonSchema(v.object({ ok: v.boolean() }))
    expectTypeOf(elicit('?', schema)).toEqualTypeOf<Question<Ok>>()
    expectTypeOf(elicit('?', ok as StandardSchema<{ raw: string }, { made: Date }>)).toEqualTypeOf<
      Question<{ made: Date }>
    >()
  })

  it("can be a decline if `declined` is 'see'", () => {
    expectTypeOf(elicit('?', ok, { declined: 'see' })).toEqualTypeOf<Question<Seen<Ok>>>()
    expectTypeOf(elicit('?', ok, { declined: 'fail' })).toEqualTypeOf<Question<Ok>>()
    expectTypeOf(elicitUrl('?', 'https://a', { declined: 'see' })).toEqualTypeOf<Question<Seen<undefined>>>()
    expectTypeOf(elicitUrl('?', 'https://a')).toEqualTypeOf<Question<undefined>>()
    // @ts-expect-error a decline has two modes
    elicit('?', ok, { declined: 'ignore' })
  })

  it("is the model's reply for sample(), and the client's roots for listRoots()", () => {
    expectTypeOf(sample({ messages: [], maxTokens: 5 })).toEqualTypeOf<Question<Sampled>>()
    expectTypeOf(listRoots()).toEqualTypeOf<Question<readonly Root[]>>()
    // @ts-expect-error maxTokens is required
    sample({ messages: [] })
  })
})

describe('the functions in `asks`', () => {
  it('pass the answers to the handler', () => {
    defineTool({
      name: 'delete_folder',
      inputSchema,
      asks: {
        confirm: async ({ path }) => ((await isEmpty(path)) ? { ok: true } : elicit(`Delete ${path}?`, ok)),
      },
      handler: ({ path }, ctx) => {
        expectTypeOf(path).toEqualTypeOf<string>()
        expectTypeOf(ctx.answers.confirm).toEqualTypeOf<Ok>()
        return ctx.answers.confirm.ok ? 'gone' : 'kept'
      },
    })
  })

  it('receive the types of the arguments, regardless of the order of members', () => {
    defineTool({
      asks: {
        confirm: ({ path, depth }) => {
          expectTypeOf(path).toEqualTypeOf<string>()
          expectTypeOf(depth).toEqualTypeOf<number>()
          return elicit(path, ok)
        },
      },
      handler: (args, ctx) => {
        expectTypeOf(args).toEqualTypeOf<{ path: string; depth: number }>()
        expectTypeOf(ctx.answers).toEqualTypeOf<{ readonly confirm: Ok }>()
      },
      inputSchema,
      name: 'a',
    })
  })

  it('can come before or after the outputSchema', () => {
    defineTool({
      name: 'a',
      asks: { confirm: () => elicit('?', ok) },
      handler: (_args, ctx) => ({ n: ctx.answers.confirm.ok ? 1 : 0 }),
      outputSchema: count,
      inputSchema,
    })
    defineTool({
      outputSchema: count,
      name: 'a',
      asks: { confirm: () => elicit('?', ok) },
      // @ts-expect-error a form is not a structured value
      handler: (_args, ctx) => ctx.answers.confirm,
    })
  })

  it('can be methods, asynchronous, or without parameters', () => {
    defineTool({
      name: 'a',
      inputSchema,
      asks: {
        async one({ path }) {
          return elicit(path, ok)
        },
        two: () => elicit('?', count),
        three: async () => 'plain',
        four: () => listRoots(),
      },
      async handler(_args, ctx) {
        expectTypeOf(ctx.answers).toEqualTypeOf<{
          readonly one: Ok
          readonly two: { n: number }
          readonly three: string
          readonly four: readonly Root[]
        }>()
      },
    })
  })

  it('give the answer a union type if they return different questions or values', () => {
    defineTool({
      name: 'a',
      inputSchema,
      asks: {
        either: ({ path }) => (path === '' ? elicit('?', ok) : path === '.' ? elicit('?', count) : 'none'),
      },
      handler: (_args, ctx) => expectTypeOf(ctx.answers.either).toEqualTypeOf<Ok | { n: number } | string>(),
    })
  })

  it("pass a decline to the handler if `declined` is 'see'", () => {
    defineTool({
      name: 'a',
      asks: { confirm: () => elicit('?', ok, { declined: 'see' }) },
      handler: (_args, { answers: { confirm } }) => {
        expectTypeOf(confirm).toEqualTypeOf<Seen<Ok>>()
        if (confirm.action === 'accept') expectTypeOf(confirm.content).toEqualTypeOf<Ok>()
        // @ts-expect-error a declined form has no content
        else void confirm.content
      },
    })
  })

  it('infer arguments and answers from JSON Schema', () => {
    defineTool({
      name: 'a',
      inputSchema: { type: 'object' },
      asks: {
        confirm: (args) => {
          expectTypeOf(args).toEqualTypeOf<Record<string, unknown>>()
          return elicit('?', {
            type: 'object',
            properties: { ok: { type: 'boolean' } },
            required: ['ok'],
          })
        },
      },
      handler: (_args, ctx) => expectTypeOf(ctx.answers.confirm.ok).toEqualTypeOf<boolean>(),
    })
  })

  it('infer arguments and answers from a Standard Schema', () => {
    defineTool({
      name: 'a',
      inputSchema: toStandardJsonSchema(v.object({ path: v.string() })),
      asks: { confirm: ({ path }) => elicit(path, toStandardJsonSchema(v.object({ ok: v.boolean() }))) },
      handler: ({ path }, ctx) => {
        expectTypeOf(path).toEqualTypeOf<string>()
        expectTypeOf(ctx.answers.confirm).toEqualTypeOf<Ok>()
      },
    })
  })

  it('infer arguments and answers from zod 3', () => {
    const schema = zod3(z3.object({ path: z3.string() }))
    const form = zod3(z3.object({ ok: z3.boolean() }))
    defineTool({
      name: 'a',
      inputSchema: schema,
      asks: { confirm: ({ path }) => elicit(path, form) },
      handler: ({ path }, ctx) => {
        expectTypeOf(path).toEqualTypeOf<string>()
        expectTypeOf(ctx.answers.confirm).toEqualTypeOf<Ok>()
      },
    })
    defineTool({
      handler: ({ path }, ctx) => {
        expectTypeOf(path).toEqualTypeOf<string>()
        expectTypeOf(ctx.answers.again.action).toEqualTypeOf<'accept' | 'decline' | 'cancel'>()
      },
      asks: asks(schema)
        .ask('confirm', ({ path }) => elicit(path, form))
        .ask('again', (_args, ctx) => elicit(String(ctx.answers.confirm.ok), form, { declined: 'see' })),
      inputSchema: schema,
      name: 'b',
    })
  })

  it('let the handler read only the answers to declared asks', () => {
    defineTool({
      name: 'a',
      asks: { confirm: () => elicit('?', ok) },
      // @ts-expect-error no ask has this name
      handler: (_args, ctx) => ctx.answers.confirmed,
    })
    defineTool({
      name: 'a',
      // @ts-expect-error there are no asks
      handler: (_args, ctx) => ctx.answers.confirm,
    })
  })

  it('cause a compile error that suggests a remedy if they come after the handler', () => {
    defineTool({
      name: 'a',
      inputSchema,
      handler: (_args, ctx) => {
        expectTypeOf(ctx.answers).toEqualTypeOf<NoAsksAboveHandler>()
        // @ts-expect-error Property 'confirm' does not exist on type 'NoAsksAboveHandler'
        return ctx.answers.confirm
      },
      asks: { confirm: ({ path }) => elicit(path, ok) },
    })
  })

  it('receive a context that lacks members with side effects', () => {
    defineTool({
      name: 'a',
      asks: {
        confirm: (_args, ctx) => {
          expectTypeOf(ctx.signal).toEqualTypeOf<AbortSignal>()
          expectTypeOf(ctx.answers).toEqualTypeOf<Readonly<Record<string, unknown>>>()
          // @ts-expect-error an ask runs in every round and reports no progress
          void ctx.progress
          // @ts-expect-error an ask returns its question instead of calling elicit
          void ctx.elicit
          return elicit('?', ok)
        },
      },
      handler: () => 'done',
    })
  })
})

describe('asks chained with asks().ask()', () => {
  it('can come after the handler', () => {
    defineTool({
      name: 'a',
      handler: ({ path }, ctx) => {
        expectTypeOf(path).toEqualTypeOf<string>()
        expectTypeOf(ctx.answers.confirm).toEqualTypeOf<Ok>()
      },
      asks: asks(inputSchema).ask('confirm', ({ path }) => elicit(path, ok)),
      inputSchema,
    })
  })

  it('can be in any other position', () => {
    const confirm = asks(inputSchema).ask('confirm', async ({ path, depth }) => {
      expectTypeOf(depth).toEqualTypeOf<number>()
      return (await isEmpty(path)) ? { ok: true } : elicit(path, ok)
    })
    defineTool({
      asks: confirm,
      inputSchema,
      handler: (_args, ctx) => expectTypeOf(ctx.answers.confirm).toEqualTypeOf<Ok>(),
      name: 'a',
    })
    defineTool({
      inputSchema,
      outputSchema: count,
      handler: (_args, ctx) => ({ n: ctx.answers.confirm.ok ? 1 : 0 }),
      asks: confirm,
      name: 'a',
    })
    defineTool({
      // @ts-expect-error the outputSchema still applies
      handler: (_args, ctx) => ({ n: ctx.answers.confirm.ok }),
      outputSchema: count,
      asks: confirm,
      inputSchema,
      name: 'a',
    })
  })

  it('can read only the answers to earlier asks', () => {
    const chain = asks(inputSchema)
      .ask('folder', ({ path }) => elicit(path, z.object({ folder: z.string() })))
      .ask('confirm', (_args, ctx) => {
        expectTypeOf(ctx.answers.folder).toEqualTypeOf<{ folder: string }>()
        return elicit(`Delete ${ctx.answers.folder.folder}?`, ok, { declined: 'see' })
      })
      .ask('last', (_args, { answers }) => (answers.confirm.action === 'accept' ? answers.folder.folder : 5))
    defineTool({
      name: 'a',
      handler: (_args, { answers }) => {
        expectTypeOf(answers.folder).toEqualTypeOf<{ folder: string }>()
        expectTypeOf(answers.confirm).toEqualTypeOf<Seen<Ok>>()
        expectTypeOf(answers.last).toEqualTypeOf<string | number>()
      },
      asks: chain,
      inputSchema,
    })
    // @ts-expect-error later answers are not known yet
    asks(inputSchema).ask('a', (_args, ctx) => ctx.answers.b)
  })

  it('do not need a schema if the tool has none', () => {
    defineTool({
      name: 'a',
      handler: (_args, ctx) => expectTypeOf(ctx.answers.confirm).toEqualTypeOf<Ok>(),
      asks: asks().ask('confirm', () => elicit('?', ok)),
    })
  })

  it('accept both JSON Schema and Standard Schemas', () => {
    const json = { type: 'object' } as const
    defineTool({
      name: 'a',
      handler: (args, ctx) => {
        expectTypeOf(args).toEqualTypeOf<Record<string, unknown>>()
        expectTypeOf(ctx.answers.confirm).toEqualTypeOf<Form>()
      },
      asks: asks(json).ask('confirm', (args) => elicit(String(args['path']), json)),
      inputSchema: json,
    })
    const standard = toStandardJsonSchema(v.object({ path: v.string() }))
    defineTool({
      handler: ({ path }, ctx) => [path, ctx.answers.confirm.ok],
      asks: asks(standard).ask('confirm', ({ path }) => elicit(path, ok)),
      inputSchema: standard,
      name: 'a',
    })
  })

  it('must accept the same arguments as the tool', () => {
    defineTool({
      name: 'a',
      inputSchema,
      // @ts-expect-error the asks have other arguments
      asks: asks(z.object({ city: z.string() })).ask('confirm', ({ city }) => elicit(city, ok)),
      handler: () => 'done',
    })
  })
})

describe("asks in a server's tools", () => {
  interface App {
    readonly db: { size(path: string): number }
  }
  interface Locals {
    readonly user: string
  }
  const server = new McpServer<Locals, App>(
    { name: 'a', version: '1' },
    { lifespan: () => ({ db: { size: () => 1 } }) },
  )

  it('receive the types of the app and the locals', () => {
    const add = (): void => {
      server.addTool({
        name: 'a',
        inputSchema,
        asks: {
          confirm: ({ path }, ctx) => {
            expectTypeOf(ctx.app).toEqualTypeOf<App>()
            expectTypeOf(ctx.locals).toEqualTypeOf<Locals>()
            return ctx.app.db.size(path) === 0 ? { ok: true } : elicit(path, ok)
          },
        },
        handler: (_args, ctx) => {
          expectTypeOf(ctx).toExtend<RequestContext<App, Locals>>()
          expectTypeOf(ctx.answers.confirm).toEqualTypeOf<Ok>()
        },
      })
      server.addTool({
        handler: (_args, ctx) => [ctx.answers.confirm.ok, ctx.app.db],
        asks: asks<typeof inputSchema, App, Locals>(inputSchema).ask('confirm', ({ path }, ctx) =>
          elicit(`${path} of ${ctx.app.db.size(path)} for ${ctx.locals.user}`, ok),
        ),
        inputSchema,
        name: 'b',
      })
    }
    expectTypeOf(add).toBeFunction()
  })

  it('work with defineTool, server.add and server.setTools', () => {
    const tool = defineTool({
      name: 'a',
      inputSchema,
      asks: { confirm: ({ path }) => elicit(path, ok) },
      handler: (_args, ctx) => ctx.answers.confirm.ok,
    })
    expectTypeOf(tool).toExtend<AnyTool>()
    expectTypeOf(tool).toExtend<AnyDefinition>()
    const add = (): void => {
      server.add(tool)
      server.setTools([tool])
    }
    expectTypeOf(add).toBeFunction()
  })
})

describe('inputRequired', () => {
  it('can be returned by every kind of handler instead of a result', () => {
    defineTool({
      name: 'a',
      outputSchema: count,
      handler: (_args, ctx) => {
        const answer = ctx.inputs.get('confirm', ok)
        expectTypeOf(answer).toEqualTypeOf<Ok | undefined>()
        return answer === undefined ? inputRequired({ confirm: elicit('?', ok) }) : { n: 1 }
      },
    })
    definePrompt({
      name: 'a',
      handler: (_args, ctx) =>
        ctx.inputs.has('who') ? 'Hello' : inputRequired({ who: listRoots() }, { state: 'first' }),
    })
    defineResource({ uri: 'a://b', name: 'a', handler: () => inputRequired({ who: listRoots() }) })
  })

  it('accepts only questions', () => {
    // @ts-expect-error a string is not a question
    const wrong = (): unknown => inputRequired({ confirm: 'Really?' })
    expectTypeOf(wrong).toBeFunction()
  })

  it('lets the handler read answers with or without declines', () => {
    defineTool({
      name: 'a',
      handler: (_args, { inputs }) => {
        expectTypeOf(inputs.see('confirm', ok)).toEqualTypeOf<Seen<Ok> | undefined>()
        expectTypeOf(inputs.get('form', { type: 'object' })).toEqualTypeOf<Form | undefined>()
        expectTypeOf(inputs.state).toEqualTypeOf<string | undefined>()
      },
    })
  })
})

it('a question in a handler has the same result type as a declared one', () => {
  defineTool({
    name: 'a',
    handler: async (_args, ctx) => {
      expectTypeOf(await ctx.elicit('?', ok)).toEqualTypeOf<Ok>()
      expectTypeOf(await ctx.elicit('?', ok, { declined: 'see' })).toEqualTypeOf<Seen<Ok>>()
      expectTypeOf(await ctx.sample({ messages: [], maxTokens: 1 })).toEqualTypeOf<Sampled>()
      expectTypeOf(await ctx.listRoots()).toEqualTypeOf<readonly Root[]>()
    },
  })
})
