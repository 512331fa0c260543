import { McpServer } from '@jetway/core'
import { REVISIONS } from '@jetway/core/protocol'
import { connect, describeMatrix, fetchTransport, memoryTransport } from '@jetway/testing'
import { matchers } from '@jetway/testing/matchers'
import { expect, it } from 'vitest'
import { cancelOrder, server } from '../src/tools/shop.ts'

// #region connect
expect.extend(matchers)

it('get_order returns the order', async () => {
  await using client = await connect(server)
  const result = await client.callTool('get_order', { id: 'A1' })
  expect(result).toHaveStructured({ total: 40, paid: true })
})
// #endregion

// #region call
it('get_order returns an error that tells the model which order is unknown', async () => {
  await using client = await connect(server)
  expect(await client.callTool('get_order', { id: 'A9' })).toBeToolError('There is no order A9')
})

it('cancel_order cancels an order only once', async () => {
  await using client = await connect(server)
  expect(await client.callTool(cancelOrder, { id: 'A3' })).toHaveText('true')
  expect(await client.callTool(cancelOrder, { id: 'A3' })).toHaveText('false')
})
// #endregion

// #region notifications
it('export_orders reports progress, and logs the number of exported orders', async () => {
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
it.each(REVISIONS)('the shop lists its tools to clients that use $version', async ({ version }) => {
  await using client = await connect(server, { revision: version })
  expect((await client.listTools()).map(({ name }) => name)).toContain('get_order')
})
// #endregion

// #region matrix
describeMatrix('cancel_order', { transports: [memoryTransport, fetchTransport] }, (cell) => {
  it('is listed with a title if the revision supports titles', async () => {
    const till = new McpServer({ name: 'till', version: '1.0.0' })
    till.add(cancelOrder)
    const client = await cell.connect(till)
    const { result } = await client.request('tools/list')
    const title = cell.revision >= '2025-06-18' ? { title: 'Cancel an order' } : {}
    expect(result?.['tools']).toEqual([expect.objectContaining({ name: 'cancel_order', ...title })])
  })
})
// #endregion
