import { callTool, deferred, initialize, INITIALIZED, ping, settled } from '@jetway-apps/test-support'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { McpServer } from '../../src/index.ts'
import type { EndpointOptions } from '../../src/http/options.ts'
import { createHarness, type Message } from '../http/support/harness.ts'
import { openSse, type SseClient } from '../http/support/sse-client.ts'
import { ScriptedTransport } from '../support/transport.ts'

const LIMIT = 20_000
const BATCHES = '2025-03-26'
const server = { limits: { maxResultBytes: LIMIT } }

function addTools(to: McpServer): void {
  to.addTool({ name: 'large', handler: () => 'x'.repeat(9_000) })
  to.addTool({
    name: 'large-later',
    handler: async () => {
      await settled()
      return 'x'.repeat(9_000)
    },
  })
  to.addTool({ name: 'larger', maxResultBytes: 4 * LIMIT, handler: () => 'x'.repeat(3 * LIMIT) })
}

const calls = (name: string, count = 100): object[] =>
  Array.from({ length: count }, (_, id) => callTool(name, {}, { id }))

const messagesOf = ({ sink }: SseClient): Message[] =>
  sink.events.filter(({ event }) => event === 'message').map(({ data }) => JSON.parse(data) as Message)

/**
 * Returns the number of distinct response ids, the numbers of results and errors, and the codes and texts of
 * the errors.
 */
function summary(answers: readonly Message[]) {
  const errors = answers.flatMap(({ error }) => (error === undefined ? [] : [error]))
  return {
    ids: new Set(answers.map(({ id }) => id)).size,
    results: answers.filter(({ result }) => result !== undefined).length,
    errors: errors.length,
    codes: [...new Set(errors.map(({ code }) => code))],
    texts: [...new Set(errors.map(({ message }) => message))],
  }
}

const BOUNDED = {
  ids: 100,
  results: 2,
  errors: 98,
  codes: [-32603],
  texts: ['The responses to this batch together exceed 20000 bytes. Send this request by itself'],
}

describe.each(['large', 'large-later'])('runBatch with 100 calls and %s results', (name) => {
  const overHttp = async (endpoint: EndpointOptions) => {
    const harness = createHarness({ endpoint, server, setUp: addTools })
    const session = await harness.open({ version: BATCHES })
    return session.post(calls(name))
  }

  it('encodes only the results that fit', async () => {
    const stringify = vi.spyOn(JSON, 'stringify')
    onTestFinished(() => stringify.mockRestore())
    await overHttp({})
    const results = stringify.mock.results.filter(({ value }) => String(value).length > 9_000)
    expect(results.length).toBeLessThan(10)
  })

  it('returns at most one maximum-size result over HTTP, and errors for the other calls', async () => {
    const { list, text } = await overHttp({})
    expect(text.length).toBeLessThan(LIMIT * 2)
    expect(summary(list)).toEqual(BOUNDED)
  })

  it('returns at most one maximum-size result on an event stream, and errors for the other calls', async () => {
    const { sink } = await overHttp({ response: 'sse' })
    await sink.ended()
    expect(sink.text.length).toBeLessThan(LIMIT * 3)
    expect(summary(sink.messages)).toEqual(BOUNDED)
  })

  it('returns at most one maximum-size result over HTTP+SSE, and errors for the other calls', async () => {
    const client = await openSse(createHarness({ endpoint: { legacySse: true }, server, setUp: addTools }))
    await client.initialize(BATCHES)
    await client.post(calls(name))
    await client.sink.until(() => client.sink.events.length > 2)
    expect(summary(JSON.parse(client.sink.events.at(-1)?.data ?? '') as Message[])).toEqual(BOUNDED)
  })

  it('returns at most one maximum-size result on a duplex connection, and errors for the other calls', async () => {
    const transport = new ScriptedTransport()
    const mcp = new McpServer({ name: 'test', version: '1' }, server)
    addTools(mcp)
    const connection = mcp.connect(transport)
    await transport.receive(initialize(BATCHES))
    await transport.receive(INITIALIZED)
    void transport.receive(calls(name))
    await expect.poll(() => transport.sent.length).toBe(2)
    expect(summary(transport.sent[1] as Message[])).toEqual(BOUNDED)
    await connection.close()
  })
})

it("a server returns the first result of a batch up to the tool's limit, even if the server's limit is lower", async () => {
  const session = await createHarness({ server, setUp: addTools }).open({ version: BATCHES })
  const { list } = await session.post([...calls('larger', 2), ping('p')])
  expect(list.map(({ id, result }) => [id, result !== undefined])).toEqual([
    [0, true],
    [1, false],
    ['p', false],
  ])
})

describe('an HTTP+SSE client that stops reading', () => {
  async function stalled() {
    const gate = deferred()
    const harness = createHarness({
      endpoint: { legacySse: true },
      server,
      setUp: (mcp) => {
        addTools(mcp)
        mcp.addTool({
          name: 'held',
          inputSchema: z.object({ units: z.number() }),
          handler: async ({ units }) => {
            await gate.promise
            return 'x'.repeat(units)
          },
        })
      },
    })
    const dropped: number[] = []
    harness.server.on('overflow', ({ bytes }) => void dropped.push(bytes))
    const client = await openSse(harness)
    await client.initialize('2025-11-25')
    client.sink.stall()
    const statuses = async (count: number, units: number, first = 0): Promise<number[]> => {
      const posts = Array.from({ length: count }, (_, i) => client.call('held', { units }, `${first + i}`))
      return (await Promise.all(posts)).map(({ status }) => status)
    }
    return { ...harness, client, gate, dropped, statuses }
  }

  it('has at most four maximum-size results queued, and receives errors instead of the others', async () => {
    const { client, gate, dropped, endpoint, statuses } = await stalled()
    expect(await statuses(60, 15_000)).toEqual(Array.from({ length: 60 }, () => 202))
    gate.resolve()
    await expect.poll(() => endpoint.stats().callsInFlight).toBe(0)
    await settled()
    const { queuedBytes } = endpoint.stats()
    expect(queuedBytes).toBeGreaterThan(3 * LIMIT)
    expect(queuedBytes).toBeLessThan(5 * LIMIT)
    client.sink.drain()
    const answers = (): Message[] => messagesOf(client).filter(({ id }) => typeof id === 'string')
    await client.sink.until(() => answers().length === 60)
    expect(summary(answers())).toEqual({
      ids: 60,
      results: 6,
      errors: 54,
      codes: [-32603],
      texts: ['More than 80000 bytes of responses wait. Read the stream, then send this request again'],
    })
    expect(dropped).toHaveLength(54)
    expect(Math.min(...dropped)).toBeGreaterThan(15_000)
  })

  it('receives 503 for further requests while pending calls could exceed the limit for queued results', async () => {
    const { client, gate, statuses } = await stalled()
    await client.call('large', {}, 'warm')
    await client.call('large', {}, 'waits')
    expect(await statuses(20, 10, 100)).toEqual([
      ...Array.from({ length: 8 }, () => 202),
      ...Array.from({ length: 12 }, () => 503),
    ])
    client.sink.drain()
    await client.sink.until(() => client.sink.text.includes('"waits"'))
    await settled()
    expect(await statuses(20, 10, 200)).toEqual(Array.from({ length: 20 }, () => 202))
    gate.resolve()
    await client.sink.until(() => client.sink.text.includes('"219"'))
  })

  it('receives 503 while large responses are queued behind progress notifications', async () => {
    const harness = createHarness({
      endpoint: { legacySse: true, limits: { outboundBytes: 10_000 } },
      setUp: (mcp) =>
        mcp.addTool({
          name: 'reports',
          handler: async (_args, ctx) => {
            await ctx.progress(1)
            return 'x'.repeat(15_000)
          },
        }),
    })
    const client = await openSse(harness)
    await client.initialize('2025-11-25')
    const call = (id: number): object => callTool('reports', {}, { id, meta: { progressToken: 'p' } })
    expect((await client.post(call(5))).status).toBe(202)
    await client.sink.until(() => client.sink.text.includes('"ping"'))
    expect((await client.post(call(6))).status).toBe(503)
    const [{ id } = {}] = messagesOf(client).filter(({ method }) => method === 'ping')
    await client.post({ jsonrpc: '2.0', id, result: {} })
    await client.sink.until(() => client.sink.text.includes('"id":5'))
    expect((await client.post(call(7))).status).toBe(202)
  })
})

describe('runBatch with structured results', () => {
  it('validates only the results that fit', async () => {
    let validated = 0
    const list = z.array(z.number())
    const outputSchema = {
      '~standard': {
        ...z.object({ list })['~standard'],
        jsonSchema: {
          input: () => ({ type: 'object' }),
          output: () => ({ type: 'object', properties: { list: { type: 'array' } } }),
        },
      },
    }
    const harness = createHarness({
      server,
      setUp: (to) =>
        to.addTool({
          name: 'structured',
          outputSchema,
          handler: () => ({
            get list() {
              validated++
              return Array.from({ length: 4_000 }, () => 1)
            },
          }),
        }),
    })
    const session = await harness.open({ version: BATCHES })
    const { list: answers } = await session.post(calls('structured'))
    expect(summary(answers)).toMatchObject({ ids: 100, codes: [-32603], texts: BOUNDED.texts })
    // Serialising one result runs the getter a few times.
    expect(validated).toBeLessThan(20)
  })
})

describe('runBatch', () => {
  it("processes other clients' requests between large results", async () => {
    const order: string[] = []
    const harness = createHarness({
      setUp: (to) =>
        to.addTool({
          name: 'large',
          handler: () => {
            order.push('call')
            return 'x'.repeat(300_000)
          },
        }),
    })
    const session = await harness.open({ version: BATCHES })
    setTimeout(() => order.push('other'), 0)
    const { list } = await session.post(calls('large', 4))
    expect(list).toHaveLength(4)
    expect(order.filter((each) => each === 'call')).toHaveLength(4)
    expect(order.indexOf('other')).toBeLessThan(4)
  })
})
