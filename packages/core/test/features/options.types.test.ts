import { describe, expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import {
  type AnyPrompt,
  type AnyTool,
  defineResource,
  defineTool,
  McpServer,
  type Observation,
  type RequestContext,
  type Source,
  type VisibleRule,
} from '../../src/index.ts'
import { displayName } from '../../src/protocol.ts'

interface App {
  readonly db: string
}
interface Locals {
  readonly user: { readonly admin: boolean }
}

/** Takes a function that is only type-checked and never runs. */
const never = (_run: () => void): void => {}

const server = new McpServer<Locals, App>(
  { name: 'test', version: '1' },
  {
    limits: { maxResultBytes: 4096 },
    tools: { orderByPriority: true, describeRelations: true },
    lifespan: () => ({ db: 'main' }),
  },
)
const handler = (): string => 'x'

describe('the types of `visible` rules', () => {
  it("include the server's locals", () => {
    never(() => {
      server.addTool({
        name: 'a',
        visible: (ctx) => {
          expectTypeOf(ctx).toEqualTypeOf<RequestContext<App, Locals>>()
          return ctx.locals.user.admin
        },
        handler,
      })
      server.addTool({ name: 'a', visible: async (ctx) => ctx.app.db === 'main', handler })
      server.addResource({ uri: 'a://b', name: 'b', visible: (ctx) => ctx.locals.user.admin, handler })
      server.addResourceTemplate({
        uriTemplate: 'a://{b}',
        name: 'b',
        visible: (ctx) => ctx.locals.user.admin,
        handler: ({ b }) => b,
      })
      server.addPrompt({ name: 'a', visible: (ctx) => ctx.locals.user.admin, handler })
    })
  })

  it('do not affect type inference for other members, wherever the rule is placed', () => {
    never(() => {
      server.addTool({
        name: 'a',
        visible: (ctx) => ctx.locals.user.admin,
        inputSchema: z.object({ city: z.string() }),
        outputSchema: z.object({ state: z.enum(['open', 'closed']) }),
        handler: ({ city }) => ({ state: city === '' ? 'closed' : 'open' }),
      })
      server.addTool({
        name: 'a',
        handler: ({ city }) => city.length,
        inputSchema: z.object({ city: z.string() }),
        visible: (ctx) => ctx.locals.user.admin,
      })
      server.add(
        defineTool({ name: 'a', visible: ({ auth }) => auth !== undefined, handler }),
        defineResource({ uri: 'a://b', name: 'b', visible: ({ auth }) => auth !== undefined, handler }),
      )
    })
  })

  it('reject other return types, and locals that the server lacks', () => {
    never(() => {
      // @ts-expect-error a string is not a verdict
      server.addTool({ name: 'a', visible: () => 'yes', handler })
      // @ts-expect-error a promise of a string is not a verdict
      server.addTool({ name: 'a', visible: async () => 'yes', handler })
      // @ts-expect-error no function
      server.addTool({ name: 'a', visible: true, handler })
      // @ts-expect-error no such member of the mount
      server.addTool({ name: 'a', visible: (ctx) => ctx.locals.tenant === 'x', handler })
      const forTenants: VisibleRule<App, { readonly tenant: string }> = (ctx) => ctx.locals.tenant === 'x'
      // @ts-expect-error a rule for another mount
      server.addTool({ name: 'a', visible: forTenants, handler })
      // @ts-expect-error arguments are not available yet
      server.addTool({ name: 'a', visible: (ctx, args) => args !== ctx, handler })
    })
  })
})

describe('the metadata types', () => {
  it('accept defined members', () => {
    never(() => {
      server.addTool({
        name: 'a',
        annotations: { title: 'A', readOnly: true, destructiveHint: false },
        priority: 1000,
        relatedTools: [{ name: 'b', relation: 'suggested' }],
        cacheControl: 'ephemeral',
        maxResultBytes: 2048,
        handler,
      })
    })
  })

  it('reject members that are not defined', () => {
    never(() => {
      // @ts-expect-error a hint is a boolean
      server.addTool({ name: 'a', annotations: { readOnly: 'yes' }, handler })
      // @ts-expect-error misspelt
      server.addTool({ name: 'a', annotations: { readonly: true }, handler })
      // @ts-expect-error a string is not a priority
      server.addTool({ name: 'a', priority: 'high', handler })
      // @ts-expect-error no such relation
      server.addTool({ name: 'a', relatedTools: [{ name: 'b', relation: 'next' }], handler })
      // @ts-expect-error a relation needs a name
      server.addTool({ name: 'a', relatedTools: [{ relation: 'related' }], handler })
      // @ts-expect-error no such control
      server.addTool({ name: 'a', cacheControl: 'forever', handler })
      // @ts-expect-error a prompt has no priority
      server.addPrompt({ name: 'a', priority: 1, handler })
      // @ts-expect-error a number of bytes
      server.addTool({ name: 'a', maxResultBytes: '1 MiB', handler })
      // @ts-expect-error a number of bytes
      void new McpServer({ name: 'a', version: '1' }, { limits: { maxResultBytes: '1 MiB' } })
      // @ts-expect-error a boolean is required
      void new McpServer({ name: 'a', version: '1' }, { tools: { orderByPriority: 'desc' } })
    })
  })

  it('let displayName accept any object with a name', () => {
    expectTypeOf(displayName).returns.toBeString()
    never(() => {
      displayName({ name: 'a' })
      displayName({ name: 'a', title: 'A', annotations: { title: 'B' } })
      // @ts-expect-error nothing to fall back to
      displayName({ title: 'A' })
    })
  })
})

describe('the types of server.observe', () => {
  it('accept a synchronous or asynchronous source with the same locals', () => {
    never(() => {
      const tools: AnyTool<App, Locals>[] = [defineTool({ name: 'a', handler })]
      const prompts: AnyPrompt<App, Locals>[] = []
      const source: Source<App, Locals> = {
        tools: () => tools,
        prompts: async () => prompts,
        onChange: () => () => {},
      }
      expectTypeOf(server.observe(source)).toEqualTypeOf<Observation>()
      server.observe({
        tools: async () => new Set([defineTool({ name: 'a', handler })]),
        onChange: () => () => {},
      })
    })
  })

  it('reject a source without change events, and a source with other locals', () => {
    never(() => {
      // @ts-expect-error nothing to listen to
      server.observe({ tools: () => [] })
      // @ts-expect-error the source returns no function to stop
      server.observe({ tools: () => [], onChange: () => {} })
      // @ts-expect-error not tools
      server.observe({ tools: () => [{ name: 'a' }], onChange: () => () => {} })
      const other: Source<App, { readonly tenant: string }> = { onChange: () => () => {} }
      // @ts-expect-error its handlers expect another mount
      server.observe(other)
    })
  })
})
