import { connect } from '@jetway/testing'
import { McpServer, type Source } from '@jetway/core'
import { describe, expect, it } from 'vitest'
import { careful, issues, portal, readOnly, relayed, shop, withAddresses } from '../src/server/compose.ts'

const serve = (source: Source): McpServer => {
  const server = new McpServer({ name: 'test', version: '1' })
  server.observe(source)
  return server
}

describe('the servers in the guide to composition', () => {
  it('are one server with prefixes and joined instructions', async () => {
    await using client = await connect(shop)
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['orders_show', 'orders_refund'])
    expect(await client.callTool('orders_show', { id: 'A1' })).toMatchObject({
      content: [{ text: 'The order A1 is paid' }],
    })
    expect(client.server?.instructions).toMatch(/shop\.\n\n# Orders \(orders_…\)\n\nShow an order/)
  })

  it('have addresses with the prefix', async () => {
    await using client = await connect(serve(withAddresses))
    expect((await client.readResource('orders+terms://refunds')).contents).toMatchObject([
      { text: 'Within 30 days' },
    ])
  })

  it('are filtered', async () => {
    await using client = await connect(serve(readOnly))
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['show'])
    expect(await client.listResources()).toEqual([])
  })

  it('have changed tools with hidden arguments', async () => {
    const auth = { principal: 'ada', scopes: ['issues'] }
    await using client = await connect(serve(issues), { auth })
    expect((await client.listTools())[0]?.inputSchema).toMatchObject({
      properties: { query: { description: 'Words of the title' } },
      required: ['query'],
    })
    expect(await client.callTool('find_issues', { query: 'bug' })).toMatchObject({
      content: [{ text: '{"items":["ada: bug, 20"]}' }],
    })
    expect(await client.callTool('find_issues', { query: 'bug', tenant: 'eve' })).toMatchObject({
      isError: true,
    })
    await using other = await connect(serve(issues))
    expect(await other.listTools()).toEqual([])
  })

  it('have wrapped handlers', async () => {
    await using client = await connect(serve(careful), { revision: '2025-11-25' })
    await client.notification('notifications/message', { data: { refund: 'A1' } }, () =>
      client.callTool('refund', { id: 'A1' }),
    )
  })

  it('get their own locals', async () => {
    await using client = await connect(portal, { locals: { session: { user: 'ada' } } })
    expect(await client.callTool('account_me')).toMatchObject({ content: [{ text: 'ada' }] })
  })

  it('relay results of other programs', async () => {
    const result = { content: [{ type: 'text', text: 'Sunny' }] } as const
    await using client = await connect(serve(relayed({ callTool: () => Promise.resolve(result) })))
    expect(await client.callTool('forecast', { city: 'Oslo' })).toMatchObject(result)
  })
})
