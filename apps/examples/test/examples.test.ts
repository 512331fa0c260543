import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import process from 'node:process'
import type { Readable } from 'node:stream'
import { program } from '@jetway-tools/runtimes/program'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, it } from 'vitest'

const pathOf = (example: string) => new URL(`../src/quickstart/${example}.ts`, import.meta.url)

type Example = ChildProcessByStdio<null, Readable, null>

/** Starts an example on a free port, which it prints. */
async function start(example: string): Promise<{ child: Example; url: URL }> {
  const env = { ...process.env, PORT: '0' }
  const child = spawn(process.execPath, program(pathOf(example)), {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  for await (const chunk of child.stdout) {
    said += String(chunk)
    const port = /(?:127\.0\.0\.1:|Port )(\d+)/.exec(said)?.[1]
    if (port !== undefined) return { child, url: new URL(`http://127.0.0.1:${port}/mcp`) }
  }
  throw new Error(`${example} ended before it listened: ${said}`)
}

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

async function withExample<T>(example: string, use: (client: Client) => Promise<T>): Promise<T> {
  const { child, url } = await start(example)
  try {
    return await withClient(new StreamableHTTPClientTransport(url), use)
  } finally {
    const closed = once(child, 'close')
    child.kill()
    await closed
  }
}

describe('the examples are as short as the docs say', () => {
  it.each([
    ['hello-stdio', 8],
    ['hello-fastify', 10],
    ['hello-hono', 10],
    ['hello-express', 15],
    ['quickstart', 20],
  ])('%s: at most %i lines', (example, limit) => {
    const lines = readFileSync(pathOf(example), 'utf8').trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(limit)
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(110)
  })
})

describe('the examples run', () => {
  const hello = { content: [{ type: 'text', text: 'Hello, world' }] }

  it('hello-stdio greets over standard input and output', async () => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: program(pathOf('hello-stdio')),
    })
    expect(await withClient(transport, (client) => client.callTool({ name: 'hello' }))).toMatchObject(hello)
  })

  it.each(['hello-fastify', 'hello-hono', 'hello-express'])('%s greets over HTTP', async (example) => {
    expect(await withExample(example, (client) => client.callTool({ name: 'hello' }))).toMatchObject(hello)
  })

  it('quickstart rolls dice, and refuses arguments that its schema does not allow', async () => {
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
