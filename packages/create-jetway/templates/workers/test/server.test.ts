import { Client } from '@jetway/client'
import { http } from '@jetway/client/http'
import { matchers } from '@jetway/testing/matchers'
import { describe, expect, it } from 'vitest'
import app from '../src/main.ts'

expect.extend(matchers)

/** A client of the Worker, without a port. */
async function connect(): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const send = async (url: string | URL, init?: RequestInit): Promise<Response> =>
    app.fetch(new Request(url, init), { GREETING: 'Good day' })
  await client.connect(http('http://localhost/mcp', { fetch: send }))
  return client
}

describe('greet', () => {
  it('greets the person with the word of the binding', async () => {
    const client = await connect()
    expect(await client.callTool('greet', { name: 'Ada' })).toHaveText('Good day, Ada')
    await client.close()
  })

  it('names the argument that is missing', async () => {
    const client = await connect()
    expect(await client.callTool('greet', {})).toBeToolError(/name/)
    await client.close()
  })
})
