import { McpServer } from '@jetway/core'
import { REVISIONS } from '@jetway/core/protocol'
import { connect, describeMatrix, fetchTransport, memoryTransport, type TestClient } from '@jetway/testing'
import { matchers } from '@jetway/testing/matchers'
import { describe, expect, it } from 'vitest'
import {
  bell,
  cancelOrder,
  openCounter,
  openMarket,
  refundOrder,
  server,
  stalls,
} from '../src/tools/tools.ts'

// #region connect
expect.extend(matchers)

it('returns the order', async () => {
  await using client = await connect(server)
  const result = await client.callTool('get_order', { id: 'A1' })
  expect(result).toHaveStructured({ total: 40, paid: true })
})
// #endregion

// #region call
it('names the unknown order to the model', async () => {
  await using client = await connect(server)
  expect(await client.callTool('get_order', { id: 'A9' })).toBeToolError('There is no order A9')
})

it('cancels an order once', async () => {
  await using client = await connect(server)
  expect(await client.callTool(cancelOrder, { id: 'A3' })).toHaveText('true')
  expect(await client.callTool(cancelOrder, { id: 'A3' })).toHaveText('false')
})
// #endregion

// #region notifications
it('reports progress, and logs the number of exported orders', async () => {
  await using client = await connect(server)
  await client.setLogLevel('info')
  const reports: number[] = []
  await client.callTool('export_orders', {}, { onProgress: ({ progress }) => reports.push(progress) })
  expect(reports).toEqual([1, 2])
  const { params } = await client.notification('notifications/message')
  expect(params).toMatchObject({ level: 'info', data: { exported: 2 } })
})
// #endregion

// #region revisions
it.each(REVISIONS)('lists its tools to clients of $version', async ({ version }) => {
  await using client = await connect(server, { revision: version })
  expect((await client.listTools()).map(({ name }) => name)).toContain('get_order')
})
// #endregion

// #region matrix
describeMatrix('cancel_order', { transports: [memoryTransport, fetchTransport] }, (cell) => {
  it('is listed with a title if the revision has titles', async () => {
    const till = new McpServer({ name: 'till', version: '1.0.0' })
    till.add(cancelOrder)
    const client = await cell.connect(till)
    const { result } = await client.request('tools/list')
    const title = cell.revision >= '2025-06-18' ? { title: 'Cancel an order' } : {}
    expect(result?.['tools']).toEqual([expect.objectContaining({ name: 'cancel_order', ...title })])
  })
})
// #endregion

describe('the other tools of the guide', () => {
  const names = async (client: TestClient): Promise<readonly string[]> =>
    (await client.listTools()).map(({ name }) => name)

  it('follow another registry', async () => {
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

  it('reports invalid arguments by field', async () => {
    await using client = await connect(server)
    expect(await client.callTool('get_order', { id: 'x' })).toBeToolError(/id/)
    expect(await client.callTool('count_orders', { paid: 'yes' })).toBeToolError(/paid/)
  })

  it('a JSON Schema types and checks the arguments', async () => {
    await using client = await connect(server)
    expect(await client.callTool('count_orders', { paid: false })).toHaveText('1')
  })

  it('a tool can be updated and removed while clients are connected', async () => {
    await using client = await connect(server, { revision: '2025-11-25' })
    {
      using _counter = openCounter()
      expect(await names(client)).toContain('ring_bell')
    }
    await client.notification('notifications/tools/list_changed')
    expect(await names(client)).not.toContain('ring_bell')
  })
})
