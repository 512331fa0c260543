import { McpServer } from '@jetway/core'
import { toFetch } from '@jetway/core/http'
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { prefix, sourceOf } from '../src/index.ts'

function createOrders(): McpServer {
  const orders = new McpServer({ name: 'orders', version: '1.0.0' })
  orders.addTool({
    name: 'refund',
    description: 'Refunds an order',
    inputSchema: z.object({ id: z.int() }),
    outputSchema: z.object({ refunded: z.int() }),
    handler: ({ id }) => ({ refunded: id }),
  })
  orders.addResource({ uri: 'orders://open', name: 'open', handler: () => 'none' })
  orders.addPrompt({ name: 'apology', arguments: [{ name: 'to', required: true }], handler: () => 'Sorry' })
  return orders
}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

function serve(): Fetch {
  const shop = new McpServer({ name: 'shop', version: '1.0.0' })
  shop.observe(prefix('orders', sourceOf(createOrders()), { uris: true }))
  const handler = toFetch(shop)
  onTestFinished(() => handler.close({ deadline: 0 }))
  return (url, init) => Promise.resolve(handler(new Request(url, init)))
}

const URL_OF_MOUNT = new URL('http://localhost/mcp')
const INFO = { name: 'visitor', version: '1' }

async function connectV1(): Promise<ClientV1> {
  const client = new ClientV1(INFO)
  await client.connect(new HttpV1(URL_OF_MOUNT, { fetch: serve() }))
  onTestFinished(() => client.close())
  return client
}

async function connectV2(): Promise<ClientV1> {
  const client = new ClientV2(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  await client.connect(new HttpV2(URL_OF_MOUNT, { fetch: serve() }))
  onTestFinished(() => client.close())
  // Both versions have the methods that the test calls.
  return client as unknown as ClientV1
}

describe.each([
  ['v1, in a session', connectV1],
  ['v2, at 2026-07-28', connectV2],
])('the official client %s', (_name, connect) => {
  it('lists and calls the tools of a contained server', async () => {
    const client = await connect()
    expect((await client.listTools()).tools).toMatchObject([
      { name: 'orders_refund', description: 'Refunds an order', inputSchema: { required: ['id'] } },
    ])
    expect(await client.callTool({ name: 'orders_refund', arguments: { id: 7 } })).toMatchObject({
      structuredContent: { refunded: 7 },
    })
    const refused = await client.callTool({ name: 'orders_refund', arguments: { id: 'seven' } })
    expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('id') }] })
  })

  it('reads its resources and gets its prompts', async () => {
    const client = await connect()
    expect((await client.listResources()).resources).toMatchObject([{ uri: 'orders+orders://open' }])
    expect(await client.readResource({ uri: 'orders+orders://open' })).toMatchObject({
      contents: [{ uri: 'orders+orders://open', text: 'none' }],
    })
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'orders_apology' }])
    expect(await client.getPrompt({ name: 'orders_apology', arguments: { to: 'Ada' } })).toMatchObject({
      messages: [{ content: { text: 'Sorry' } }],
    })
  })
})
