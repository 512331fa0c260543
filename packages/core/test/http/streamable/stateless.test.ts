import { callTool, settled } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { McpServer } from '../../../src/index.ts'
import { callModern } from '../../support/modern-calls.ts'
import { createHarness, type Harness, initializeMessage } from '../support/harness.ts'

const endpoint = { stateless: true }
const call = (name: string, args: object = {}, id: string | number = 2): object =>
  callTool(name, args, { id, meta: { progressToken: 1 } })
const setUp = (server: McpServer): void => {
  server.addTool({
    name: 'where',
    handler: (_args, ctx) => `${ctx.protocolVersion} ${ctx.session === undefined}`,
  })
  server.addTool({ name: 'app', handler: (_args, ctx) => String(ctx.app) })
  server.addTool({
    name: 'report',
    inputSchema: z.object({ steps: z.number() }),
    handler: async ({ steps }, ctx) => {
      for (let i = 1; i <= steps; i++) await ctx.progress(i)
      return 'reported'
    },
  })
}

describe('a mount without sessions', () => {
  it('sends no session id in its reply to initialize, and stores nothing', async () => {
    const { post } = createHarness({ endpoint, setUp })
    const answer = await post(initializeMessage('2025-11-25'))
    expect(answer.json.result).toMatchObject({ protocolVersion: '2025-11-25' })
    expect(answer.headers).not.toHaveProperty('mcp-session-id')
  })

  it.each([
    [undefined, '2025-03-26'],
    ['2025-03-26', '2025-03-26'],
    ['2025-06-18', '2025-06-18'],
    ['2025-11-25', '2025-11-25'],
  ])('serves a call with the version header %s in revision %s', async (header, spoken) => {
    const { post } = createHarness({ endpoint, setUp })
    const answer = await post(call('where'), { 'mcp-protocol-version': header })
    expect(answer.json.result?.['content']).toEqual([{ type: 'text', text: `${spoken} true` }])
  })

  it.each([
    ['a session call', (harness: Harness) => harness.post(call('app'))],
    ['a stateless call', (harness: Harness) => callModern(harness, 'tools/call', { name: 'app' })],
  ])('starts the lifespan before it serves %s', async (_, send) => {
    const lifespan = async (): Promise<string> => 'opened'
    const harness = createHarness({ endpoint, setUp, server: { lifespan } })
    expect((await send(harness)).json.result?.['content']).toEqual([{ type: 'text', text: 'opened' }])
  })

  it('sends errors with status 200 if its replies are streams', async () => {
    const { post } = createHarness({ endpoint: { ...endpoint, response: 'sse' }, setUp })
    const { status, sink } = await post(call('nothing by this name'))
    expect([status, sink.messages]).toMatchObject([200, [{ id: 2, error: {} }]])
  })

  it('ignores session ids', async () => {
    const { post } = createHarness({ endpoint, setUp })
    expect((await post(call('where'), { 'mcp-session-id': 'left-over' })).status).toBe(200)
  })

  it('accepts and ignores notifications and responses', async () => {
    const { post } = createHarness({ endpoint, setUp })
    for (const message of [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } },
      { jsonrpc: '2.0', id: 1, result: {} },
    ]) {
      expect((await post(message)).status).toBe(202)
    }
  })

  it("does not let a client cancel another client's call", async () => {
    let finish = (): void => {}
    let aborted = false
    const { post } = createHarness({
      endpoint,
      setUp: (server) => {
        server.addTool({
          name: 'wait',
          handler: (_args, ctx) => {
            ctx.signal.addEventListener('abort', () => (aborted = true))
            return new Promise<string>((resolve) => (finish = () => resolve('done')))
          },
        })
      },
    })
    const pending = post(call('wait'))
    await settled()
    await post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } })
    finish()
    expect((await pending).json).toMatchObject({ id: 2, result: { content: [{ text: 'done' }] } })
    expect(aborted).toBe(false)
  })

  it('streams notifications without event ids, because its streams cannot be resumed', async () => {
    const { post } = createHarness({ endpoint, setUp })
    const { sink } = await post(call('report', { steps: 2 }), { 'mcp-protocol-version': '2025-11-25' })
    await sink.ended()
    expect(sink.messages.map(({ id, params }) => id ?? params?.['progress'])).toEqual([1, 2, 2])
    expect(sink.events.every(({ id, data }) => id === undefined && data !== '')).toBe(true)
  })

  it('serves batches in the revision that supports batches', async () => {
    const { post } = createHarness({ endpoint, setUp })
    expect((await post([call('where', {}, 1), call('where', {}, 2)])).list.map(({ id }) => id)).toEqual([
      1, 2,
    ])
    const refused = await post([call('where')], { 'mcp-protocol-version': '2025-06-18' })
    expect(refused.status).toBe(400)
  })

  it('keeps no timers or sessions', async () => {
    const { post, clock } = createHarness({ endpoint, setUp })
    for (let i = 0; i < 50; i++) await post(initializeMessage())
    await post(call('where'))
    expect(clock.pending).toBe(0)
  })

  it("limits each principal's calls separately", async () => {
    const { post } = createHarness({
      endpoint,
      server: { limits: { running: 1, inFlight: 1 } },
      setUp: (server) => {
        server.addTool({ name: 'hang', handler: () => new Promise<string>(() => {}) })
        server.addTool({ name: 'quick', handler: () => 'x' })
      },
    })
    const alice = { auth: { principal: 'alice' } }
    void post(call('hang'), {}, alice)
    await settled()
    const refused = await post(call('quick'), {}, alice)
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1'])
    expect(refused.json).toMatchObject({ id: 2, error: { code: -32603 } })
    expect((await post(call('quick'), {}, { auth: { principal: 'bob' } })).status).toBe(200)
    expect((await post(call('quick'))).status).toBe(200)
  })
})
