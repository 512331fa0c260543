import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { SERVER_COMMANDS, type Listening, start } from './support/processes.ts'

const KEY = Buffer.alloc(32, 7).toString('base64')
const ADAPTERS = ['fastify', 'hono'] as const

async function run(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Listening> {
  const server = await start(args, env)
  onTestFinished(async () => {
    await server.stop('SIGKILL')
  })
  return server
}

interface Watched {
  readonly client: Client
  readonly transport: StreamableHTTPClientTransport
  /** The methods of the posted messages. */
  readonly posted: string[]
}

/** Connects the official client, and records its POST requests. */
async function connect(url: string): Promise<Watched> {
  const posted: string[] = []
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch(input, init) {
      if (typeof init?.body === 'string') posted.push((JSON.parse(init.body) as { method: string }).method)
      return fetch(input, init)
    },
  })
  const client = new Client({ name: 'v1', version: '1.0.0' })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return { client, transport, posted }
}

const echo = (text: string): { name: string; arguments: { text: string } } => ({
  name: 'echo',
  arguments: { text },
})

describe('a server that is killed and restarted during a session with the v1 client', () => {
  const says = async ({ client }: Watched, text: string): Promise<void> => {
    expect((await client.callTool(echo(text))).content).toEqual([{ type: 'text', text }])
  }

  it('refuses a plain session id with 404, and accepts a sealed id, on both frameworks', async () => {
    const plain = await run(SERVER_COMMANDS.fastify, { SESSION_KEYS: '' })
    const port = ['--port', new URL(plain.url).port]
    const lost = await connect(plain.url)
    await says(lost, 'opened')
    expect(await plain.stop('SIGKILL')).toBeNull()

    const one = await run([...SERVER_COMMANDS.hono, ...port], { SESSION_KEYS: KEY })
    expect(one.url).toBe(plain.url)
    await expect(lost.client.callTool(echo('lost'))).rejects.toMatchObject({ code: 404 })
    const kept = await connect(one.url)
    await says(kept, 'started over')
    const id = kept.transport.sessionId
    expect(id).not.toBe(lost.transport.sessionId)

    let before = one
    for (const adapter of ADAPTERS) {
      expect(await before.stop('SIGKILL')).toBeNull()
      before = await run([...SERVER_COMMANDS[adapter], ...port], { SESSION_KEYS: KEY })
      await says(kept, `goes on with ${adapter}`)
      expect(await kept.client.listTools()).toHaveProperty('tools')
    }
    expect(kept.transport.sessionId).toBe(id)
    expect(kept.posted.filter((method) => method === 'initialize')).toHaveLength(1)
  })
})
