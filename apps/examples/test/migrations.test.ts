import { toFetch } from '@jetway/core/http'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { InMemoryTransport } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import { server as calculator } from '../src/migration/from-mcp-go.ts'
import { server as shop } from '../src/migration/from-official-sdk.ts'
import { createServer } from '../src/migration/official-sdk.ts'

// #region client
/** Connects the official client to a server in this process. */
async function connect(server: Parameters<typeof toFetch>[0]): Promise<Client> {
  const handler = toFetch(server)
  const client = new Client({ name: 'test', version: '1.0.0' })
  const url = new URL('http://localhost/mcp')
  const send = (to: string | URL, init?: RequestInit): Promise<Response> => handler(new Request(to, init))
  await client.connect(new StreamableHTTPClientTransport(url, { fetch: send }))
  return client
}
// #endregion

async function connectOfficial(): Promise<Client> {
  const [near, far] = InMemoryTransport.createLinkedPair()
  const client = new Client({ name: 'test', version: '1.0.0' })
  await Promise.all([createServer().connect(far), client.connect(near)])
  return client
}

/** Returns everything that a client can see of the shop server. */
async function observe(client: Client): Promise<unknown> {
  const schema = ({ type, properties, required }: Record<string, unknown>): object => ({
    type,
    properties,
    required,
  })
  const { tools } = await client.listTools()
  const { resources } = await client.listResources()
  const { prompts } = await client.listPrompts()
  const seen = {
    tools: tools.map((tool) => [tool.name, tool.description, schema(tool.inputSchema)]),
    resources: resources.map(({ uri, name, mimeType }) => [uri, name, mimeType]),
    prompts: prompts.map((prompt) => [prompt.name, prompt.arguments]),
    found: await client.callTool({ name: 'price', arguments: { article: 'tea' } }),
    missing: await client.callTool({ name: 'price', arguments: { article: 'gold' } }),
    hours: await client.readResource({ uri: 'shop://hours' }),
    offer: await client.getPrompt({ name: 'offer', arguments: { article: 'tea' } }),
  }
  await client.close()
  return JSON.parse(JSON.stringify(seen))
}

describe('migration from the official SDK', () => {
  it('produces a server that a client cannot distinguish from the old one', async () => {
    const after = (await observe(await connect(shop))) as { offer: { description?: string } }
    // Jetway sends the prompt's description with its messages, but the SDK sends it only in the list.
    delete after.offer.description
    expect(after).toEqual(await observe(await connectOfficial()))
  })
})

describe('migration from mcp-go', () => {
  it('produces a calculator that returns results and reports errors', async () => {
    const client = await connect(calculator)
    const calculate = (operation: string, x: number, y: number): Promise<unknown> =>
      client.callTool({ name: 'calculate', arguments: { operation, x, y } })
    expect(await calculate('add', 1, 2)).toMatchObject({ content: [{ text: '3.00' }] })
    expect(await calculate('divide', 1, 0)).toMatchObject({
      content: [{ text: 'Division by zero' }],
      isError: true,
    })
    expect(await calculate('root', 1, 0)).toMatchObject({ isError: true })
    await client.close()
  })
})
