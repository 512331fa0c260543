import { once } from 'node:events'
import { originOf } from '@jetway-apps/test-support/http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createApp, refusals, server as shop, tracked, traces } from '../src/server/operations.ts'
import { audit, consume, consumeWithProgress, onEvent } from '../src/server/without-a-mount.ts'
import { call, expectStderr, initialize } from './support.ts'

const message = (method: string, params: object = {}): object => ({ jsonrpc: '2.0', id: 7, method, params })

describe('the app in the operations guide', () => {
  it('exposes stats, rejected requests and errors, and drains before it stops', async () => {
    const app = await createApp()
    await app.listen({ port: 0, host: '127.0.0.1' })
    onTestFinished(() => app.close())
    const origin = originOf(app.server)
    const metrics = async (): Promise<string> => (await fetch(`${origin}/metrics`)).text()
    expect(await metrics()).toMatch(/^mcp_sessions 0$/m)

    const opened = await initialize(`${origin}/mcp`)
    await initialize(`${origin}/mcp`, { origin: 'https://evil.example.com' })
    expect(await metrics()).toMatch(/^mcp_sessions 1$/m)
    expect(await metrics()).toMatch(/^mcp_refusals_total\{reason="forbiddenOrigin"\} 1$/m)
    expect([...refusals]).toEqual([['forbiddenOrigin', 1]])

    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
    const logged = expectStderr()
    const said = await call(`${origin}/mcp`, 'fails', session)
    expect(logged()).toEqual([expect.stringContaining('The database said no')])
    expect(said).not.toContain('database')
    expect(tracked).toHaveLength(1)
    expect(said).toContain(tracked[0]?.tags['reference'])

    expect((await fetch(`${origin}/readyz`)).status).toBe(200)
    expect(await (await fetch(`${origin}/livez`)).json()).toEqual({ status: 'ok' })
    const closed = once(app.server, 'close')
    await fetch(`${origin}/stop`)
    await closed
  })
})

describe('traces in the operations guide', () => {
  it('continue the trace started by the client', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01'
    const logged = expectStderr()
    await shop.handleMessage(message('tools/call', { name: 'fails', _meta: { traceparent } }))
    expect(traces.at(-1)).toEqual({ traceId: '0af7651916cd43dd8448eb211c80319c', sampled: true })
    expect(logged()).toEqual([expect.stringContaining('The database said no')])
  })
})

describe('handling messages without a mount', () => {
  it('sets the principal, and lets handlers start work that outlasts the reply', async () => {
    const replies: string[] = []
    const job = (body: object): Parameters<typeof consume>[0] => ({
      body: JSON.stringify(body),
      sender: 'ada',
      reply: async (text) => void replies.push(text),
    })
    await consume(job(message('tools/call', { name: 'confirm' })))
    await consume(job({ jsonrpc: '2.0', method: 'notifications/initialized' }))
    expect(replies.map((text) => JSON.parse(text))).toMatchObject([
      { id: 7, result: { content: [{ type: 'text', text: 'Confirmed' }] } },
    ])
    expect(audit).toEqual(['ada confirmed an order'])
    await consumeWithProgress(job(message('tools/call', { name: 'confirm', _meta: { progressToken: 'p' } })))
    expect(replies.slice(1).map((text) => JSON.parse(text))).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 'p', progress: 1 } },
      { id: 7, result: {} },
    ])
  })

  it("passes remaining work to the platform's `waitUntil`", async () => {
    const kept: Promise<unknown>[] = []
    const answer = await onEvent(message('tools/call', { name: 'confirm' }), {
      waitUntil: (work) => kept.push(work),
    })
    expect(JSON.parse(answer ?? '')).toMatchObject({ id: 7, result: { content: [{ text: 'Confirmed' }] } })
    expect(kept).toHaveLength(1)
    await Promise.all(kept)
  })
})
