import { readFileSync } from 'node:fs'
import process from 'node:process'
import { program } from '@jetway-tools/runtimes/program'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, it } from 'vitest'
import { withProcess } from './support.ts'

const pathOf = (example: string) => new URL(`../src/quickstart/${example}.ts`, import.meta.url)

async function withClient<T>(
  transport: Parameters<Client['connect']>[0],
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(transport)
  try {
    return await use(client)
  } finally {
    await client.close()
  }
}

const withExample = <T>(example: string, use: (client: Client) => Promise<T>): Promise<T> =>
  withProcess(`quickstart/${example}`, {}, (origin) =>
    withClient(new StreamableHTTPClientTransport(new URL('/mcp', origin)), use),
  )

describe('the length of the examples', () => {
  it.each([
    ['hello-stdio', 8],
    ['hello-fastify', 10],
    ['hello-hono', 10],
    ['hello-express', 15],
    ['quickstart', 20],
  ])('matches the docs: %s has at most %i lines', (example, limit) => {
    const lines = readFileSync(pathOf(example), 'utf8').trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(limit)
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(110)
  })
})

describe('running an example', () => {
  const hello = { content: [{ type: 'text', text: 'Hello, world' }] }

  it('starts hello-stdio, which greets over stdin and stdout', async () => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: program(pathOf('hello-stdio')),
    })
    expect(await withClient(transport, (client) => client.callTool({ name: 'hello' }))).toMatchObject(hello)
  })

  it.each(['hello-fastify', 'hello-hono', 'hello-express'])(
    'starts %s, which greets over HTTP',
    async (example) => {
      expect(await withExample(example, (client) => client.callTool({ name: 'hello' }))).toMatchObject(hello)
    },
  )

  it('starts quickstart, which rolls dice, and rejects arguments that do not match its schema', async () => {
    await withExample('quickstart', async (client) => {
      const rolled = await client.callTool({ name: 'roll_dice', arguments: { count: 3 } })
      const { rolls, total } = rolled.structuredContent as { rolls: number[]; total: number }
      expect(rolls).toHaveLength(3)
      expect(rolls.reduce((sum, roll) => sum + roll)).toBe(total)
      expect(await client.callTool({ name: 'roll_dice', arguments: { count: 21 } })).toMatchObject({
        isError: true,
      })
    })
  })
})
