import { change, joinInstructions, only, prefix, relay, sourceOf } from '@jetway/compose'
import { createServer, defineTool, McpServer, type Source } from '@jetway/core'
import { z } from 'zod'

// #region servers
export const orders = new McpServer(
  { name: 'orders', title: 'Orders', version: '1.0.0' },
  { instructions: 'Show an order before you refund it.' },
)
orders.addTool({
  name: 'show',
  description: 'Shows an order',
  inputSchema: z.object({ id: z.string() }),
  handler: ({ id }) => `The order ${id} is paid`,
})
orders.addTool({
  name: 'refund',
  inputSchema: z.object({ id: z.string() }),
  handler: ({ id }) => `Refunded ${id}`,
})
orders.addResource({ uri: 'terms://refunds', name: 'refunds', handler: () => 'Within 30 days' })
// #endregion

// #region compose
const source = prefix('orders', sourceOf(orders))

export const shop = new McpServer(
  { name: 'shop', version: '1.0.0' },
  { instructions: joinInstructions('You work for a shop.', [source]) },
)
shop.observe(source)
// #endregion

// #region uris
export const withAddresses = prefix('orders', sourceOf(orders), { uris: true, maxNameLength: 64 })
// #endregion

// #region only
export const readOnly = only(
  { tools: ['show', 'list_*'], resources: { deny: ['terms://*'] } },
  sourceOf(orders),
)
// #endregion

// #region change
const search = defineTool({
  name: 'search_issues_v2',
  inputSchema: z.object({ q: z.string(), limit: z.int(), tenant: z.string() }),
  outputSchema: z.object({ items: z.array(z.string()), took: z.number() }),
  handler: ({ q, limit, tenant }) => ({ items: [`${tenant}: ${q}, ${limit}`], took: 3 }),
})
export const tracker = new McpServer({ name: 'tracker', version: '1.0.0' })
tracker.add(search)

export const issues = change(sourceOf(tracker, { search_issues_v2: search }), {
  tools: {
    search_issues_v2: {
      name: 'find_issues',
      description: 'Finds open issues',
      args: {
        q: { name: 'query', description: 'Words of the title' },
        limit: { hide: true, value: 20 },
        tenant: { hide: true, value: (ctx) => ctx.auth?.principal ?? 'public' },
      },
      result: ({ structured }) => ({ items: (structured as { items: string[] }).items }),
      visible: (ctx) => ctx.auth?.scopes?.includes('issues') ?? false,
    },
  },
})
// #endregion

// #region wrap
export const careful = change(sourceOf(orders), {
  tools: {
    refund: {
      handler: async (args, ctx, next) => {
        ctx.log.info({ refund: args['id'] })
        return next(args)
      },
    },
  },
})
// #endregion

// #region locals
const accounts = createServer<{ user: string }>()({ name: 'accounts', version: '1.0.0' })
accounts.addTool({ name: 'me', handler: (_args, ctx) => ctx.locals.user })

interface Locals {
  readonly session: { readonly user: string }
}

export const portal = createServer<Locals>()({ name: 'portal', version: '1.0.0' })
portal.observe(
  prefix('account', sourceOf(accounts), { locals: ({ session }: Locals) => ({ user: session.user }) }),
)
// #endregion

// #region relay
interface Upstream {
  callTool(name: string, args: Readonly<Record<string, unknown>>): Promise<Parameters<typeof relay>[0]>
}

/** A source of tools that another program defines and runs. */
export const relayed = (upstream: Upstream): Source => ({
  tools: () => [
    {
      name: 'forecast',
      relayed: true,
      inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
      handler: async (args: Readonly<Record<string, unknown>>) =>
        relay(await upstream.callTool('forecast', args)),
    },
  ],
  onChange: () => () => {},
})
// #endregion
