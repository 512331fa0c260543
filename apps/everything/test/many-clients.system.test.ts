import { Agent } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { FRAMEWORKS, type Mount } from '@jetway-apps/test-support/mounts'
import { McpServer } from '@jetway/core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { type Message, RawClient } from './support/raw-http.ts'

const CLIENTS = 200
const CALLS = 8

/** Creates a server that responds out of order: a call yields to the event loop as often as its arguments say. */
function createRelay(): McpServer {
  const server = new McpServer({ name: 'relay', version: '1.0.0' })
  server.addTool({
    name: 'relay',
    inputSchema: z.object({ text: z.string(), turns: z.number().int(), talks: z.boolean() }),
    async handler({ text, turns, talks }, ctx) {
      for (let index = 0; index < turns; index++) await turn()
      if (talks) await ctx.progress(1, 2, text)
      await turn()
      if (talks) await ctx.progress(2, 2, text)
      return `${ctx.client.info?.name} says ${text}`
    },
  })
  return server
}

async function start(mount: Mount): Promise<{ url: string; agent: Agent }> {
  const { origin, stop, http } = await mount(createRelay())
  // On a busy machine, the server would otherwise close an idle connection while a client is sending on it.
  Object.assign(http, { keepAliveTimeout: 0 })
  const agent = new Agent({ keepAlive: true, maxSockets: 128 })
  onTestFinished(stop)
  onTestFinished(() => agent.destroy())
  return { url: `${origin}/mcp`, agent }
}

function relay(id: number, text: string, index: number): object {
  const params = {
    name: 'relay',
    arguments: { text, turns: (index * 7) % 5, talks: index % 2 === 0 },
    _meta: { progressToken: 1 },
  }
  return { jsonrpc: '2.0', id, method: 'tools/call', params }
}

/** Checks that the response and all messages before it belong to the caller. */
function expectOwn(messages: readonly Message[], id: number, client: string, text: string): void {
  const answer = messages.at(-1)
  expect(answer).toMatchObject({
    jsonrpc: '2.0',
    id,
    result: { content: [{ text: `${client} says ${text}` }] },
  })
  const before = messages.slice(0, -1)
  for (const message of before) {
    expect(message).toMatchObject({
      method: 'notifications/progress',
      params: { progressToken: 1, message: text },
    })
  }
  expect([0, 2]).toContain(before.length)
}

describe.each(Object.entries(FRAMEWORKS))('an McpServer on %s', (_framework, mount) => {
  it('sends each response only to the client that made the request, and only once, even if 200 clients use the same ids', async () => {
    const { url, agent } = await start(mount)
    let answers = 0
    const visit = async (_: unknown, index: number): Promise<void> => {
      const name = `client ${index}`
      const client = new RawClient(url, agent)
      await client.initialize(name)
      const stream = await client.listen()
      const calls = Array.from({ length: CALLS }, async (__, call) => {
        const text = `${index}/${call}`
        const { status, messages } = await client.post(relay(call, text, index + call))
        expect(status).toBe(200)
        expectOwn(messages, call, name, text)
        answers += 1
      })
      await Promise.all(calls)
      // The GET stream stays empty, because all messages of a call arrive on its own reply.
      expect(await stream.end()).toEqual([])
    }
    await Promise.all(Array.from({ length: CLIENTS }, visit))
    expect(answers).toBe(CLIENTS * CALLS)
  })

  it('responds separately to each request, even if a client uses the same id for all requests', async () => {
    const { url, agent } = await start(mount)
    const client = new RawClient(url, agent)
    await client.initialize('monotone')
    const calls = Array.from({ length: 50 }, async (_, call) => {
      const { messages } = await client.post(relay(1, `call ${call}`, call))
      expectOwn(messages, 1, 'monotone', `call ${call}`)
    })
    await Promise.all(calls)
  })
})
