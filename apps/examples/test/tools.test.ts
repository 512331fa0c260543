import { connect, type TestClient } from '@jetway/testing'
import { matchers } from '@jetway/testing/matchers'
import { describe, expect, it } from 'vitest'
import { server } from '../src/tools/shop.ts'
import { bell, openCounter, openMarket, refundOrder, stalls } from '../src/tools/tools.ts'

expect.extend(matchers)

describe('further tools in the tools guide', () => {
  const names = async (client: TestClient): Promise<readonly string[]> =>
    (await client.listTools()).map(({ name }) => name)

  it('reflect changes in another registry', async () => {
    await using client = await connect(server)
    const before = await names(client)
    {
      using _market = openMarket()
      stalls.set('refund_order', refundOrder)
      bell.dispatchEvent(new Event('change'))
      expect(await names(client)).toEqual([...before, 'refund_order'])
      expect(await client.callTool(refundOrder, { id: 'A1' })).toHaveText('Paid 40 back')
    }
    expect(await names(client)).toEqual(before)
  })

  it('report invalid arguments by field', async () => {
    await using client = await connect(server)
    expect(await client.callTool('get_order', { id: 'x' })).toBeToolError(/id/)
    expect(await client.callTool('count_orders', { paid: 'yes' })).toBeToolError(/paid/)
  })

  it('derive types and validation from a JSON Schema', async () => {
    await using client = await connect(server)
    expect(await client.callTool('count_orders', { paid: false })).toHaveText('1')
  })

  it('can be updated and removed while clients are connected', async () => {
    await using client = await connect(server, { revision: '2025-11-25' })
    {
      using _counter = openCounter()
      expect(await names(client)).toContain('ring_bell')
    }
    await client.notification('notifications/tools/list_changed')
    expect(await names(client)).not.toContain('ring_bell')
  })
})
