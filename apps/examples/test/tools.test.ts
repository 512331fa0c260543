import { McpServer } from '@jetway/core'
import { createMemoryTransportPair } from '@jetway/core/transport'
import { connectPeer, describeMatrix, fetchDoor, memoryDoor, type TestConnection } from '@jetway/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { bell, cancelOrder, openCounter, openMarket, refundOrder, server, stalls } from '../src/tools.ts'

// #region connect
const open: TestConnection[] = []

async function connect(): Promise<TestConnection> {
  const [near, far] = createMemoryTransportPair()
  server.connect(far)
  const client = await connectPeer(near, { revision: '2025-11-25' })
  open.push(client)
  return client
}

afterEach(async () => {
  for (const client of open.splice(0)) await client.close()
})
// #endregion

// #region call
it('answers with the order', async () => {
  const client = await connect()
  const { result } = await client.request('tools/call', { name: 'get_order', arguments: { id: 'A1' } })
  expect(result).toMatchObject({ structuredContent: { total: 40, paid: true } })
})

it('tells the model which order there is not', async () => {
  const client = await connect()
  const { result } = await client.request('tools/call', { name: 'get_order', arguments: { id: 'A9' } })
  expect(result).toEqual({ content: [{ type: 'text', text: 'There is no order A9' }], isError: true })
})
// #endregion

// #region notifications
it('reports progress, and logs how much was exported', async () => {
  const client = await connect()
  await client.request('tools/call', { name: 'export_orders', _meta: { progressToken: 'export' } })
  const [first, ...others] = client.notifications
  expect(first).toMatchObject({ method: 'notifications/progress', params: { progress: 1 } })
  expect(others.at(-1)).toMatchObject({ method: 'notifications/message', params: { level: 'info' } })
})
// #endregion

// #region matrix
describeMatrix('cancel_order', { doors: [memoryDoor, fetchDoor] }, (cell) => {
  it('is listed with a title where the revision has titles', async () => {
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
  it('come and go with the registry that is followed', async () => {
    const client = await connect()
    const names = async (): Promise<unknown[]> => {
      const { result = {} } = await client.request('tools/list')
      return (result['tools'] as { name: string }[]).map(({ name }) => name)
    }
    const before = await names()
    {
      using _market = openMarket()
      stalls.set('refund_order', refundOrder)
      bell.dispatchEvent(new Event('change'))
      expect(await names()).toEqual([...before, 'refund_order'])
      const { result } = await client.request('tools/call', { name: 'refund_order', arguments: { id: 'A1' } })
      expect(result).toMatchObject({ content: [{ text: 'Paid 40 back' }] })
    }
    expect(await names()).toEqual(before)
  })

  const text = async (name: string, args = {}): Promise<unknown> => {
    const { result } = await (await connect()).request('tools/call', { name, arguments: args })
    return (result as { content: { text: string }[] }).content[0]?.text
  }

  it('arguments that the schema does not allow come back by field', async () => {
    expect(await text('get_order', { id: 'x' })).toMatch(/id/)
    expect(await text('count_orders', { paid: 'yes' })).toMatch(/paid/)
  })

  it('a JSON Schema types and checks the arguments', async () => {
    expect(await text('count_orders', { paid: false })).toBe('1')
  })

  it('a tool from a file of its own is there', async () => {
    expect(await text('cancel_order', { id: 'A3' })).toBe('true')
    expect(await text('cancel_order', { id: 'A7' })).toBe('false')
  })

  it('a tool can be changed and taken back while clients are connected', async () => {
    const client = await connect()
    const names = async (): Promise<string[]> => {
      const { result } = await client.request('tools/list')
      return (result as { tools: { name: string }[] }).tools.map(({ name }) => name)
    }
    {
      using _counter = openCounter()
      expect(await names()).toContain('ring_bell')
    }
    await client.notification('notifications/tools/list_changed')
    expect(await names()).not.toContain('ring_bell')
  })
})
