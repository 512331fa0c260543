import { initialize, settled } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { EndpointOptions } from '../../../src/http/options.ts'
import { elicit } from '../../../src/call/input/question.ts'
import { MemorySessionStore } from '@jetway-apps/test-support/stores'
import { type Answer, createHarness, type Harness } from '../support/harness.ts'

const ok = z.object({ ok: z.boolean() })

interface Opened extends Harness {
  readonly runs: () => number
  readonly headers: Record<string, string>
  readonly call: (id?: number) => Promise<Answer>
  readonly answer: (id: unknown, content: object) => Promise<Answer>
}

async function open(endpoint: EndpointOptions = {}): Promise<Opened> {
  let runs = 0
  const harness = createHarness({
    endpoint,
    setUp: (server) => {
      server.addTool({
        name: 'a',
        asks: { confirm: () => elicit('Sure?', ok) },
        handler: (_args, ctx) => `${++runs} ${ctx.answers.confirm.ok}`,
      })
    },
  })
  const version = '2025-11-25'
  const initialized = await harness.post(initialize(version, { capabilities: { elicitation: {} } }))
  const session = initialized.headers['mcp-session-id']
  const headers: Record<string, string> = { 'mcp-protocol-version': version }
  if (session !== undefined) headers['mcp-session-id'] = session
  return {
    ...harness,
    runs: () => runs,
    headers,
    call: (id = 2) =>
      harness.post({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'a' } }, headers),
    answer: (id, content) =>
      harness.post({ jsonrpc: '2.0', id, result: { action: 'accept', content } }, headers),
  }
}

describe('questions over Streamable HTTP', () => {
  it('are sent on the stream of the call, and are answered in another POST', async () => {
    const { call, answer, runs } = await open()
    const { sink, headers } = await call()
    expect(headers['content-type']).toBe('text/event-stream')
    await sink.until(() => sink.messages.length > 0)
    const [question] = sink.messages
    expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'Sure?' } })
    expect((await answer(question?.id, { ok: true })).status).toBe(202)
    await sink.ended()
    expect(sink.messages[1]).toMatchObject({ id: 2, result: { content: [{ text: '1 true' }] } })
    expect(runs()).toBe(1)
  })

  it('receive separate answers even if two calls have the same id', async () => {
    const { call, answer } = await open()
    const [first, second] = [(await call(7)).sink, (await call(7)).sink]
    await first.until(() => first.messages.length > 0)
    await second.until(() => second.messages.length > 0)
    await answer(second.messages[0]?.id, { ok: false })
    await answer(first.messages[0]?.id, { ok: true })
    await Promise.all([first.ended(), second.ended()])
    // Either handler may run first.
    expect(first.messages[1]?.result).toMatchObject({ content: [{ text: expect.stringMatching(/ true$/) }] })
    expect(second.messages[1]?.result).toMatchObject({
      content: [{ text: expect.stringMatching(/ false$/) }],
    })
  })

  it('cannot be answered from another session', async () => {
    const { call, post, runs, open: openOther } = await open()
    const { sink } = await call()
    await sink.until(() => sink.messages.length > 0)
    const other = await openOther()
    const forged = {
      jsonrpc: '2.0',
      id: sink.messages[0]?.id,
      result: { action: 'accept', content: { ok: true } },
    }
    expect((await other.post(forged)).status).toBe(202)
    await post(forged)
    await settled()
    expect(runs()).toBe(0)
    expect(sink.messages).toHaveLength(1)
  })

  it('cannot be answered after a restart or in another process', async () => {
    const store = new MemorySessionStore()
    const before = await open({ sessions: { store } })
    const { sink: weather } = await before.call()
    await weather.until(() => weather.messages.length > 0)

    const after = await open({ sessions: { store } })
    const call = { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'a' } }
    const { sink } = await after.post(call, before.headers)
    await sink.until(() => sink.messages.length > 0)
    const answer = (id: unknown): Promise<Answer> =>
      after.post({ jsonrpc: '2.0', id, result: { action: 'accept', content: { ok: true } } }, before.headers)
    expect((await answer(weather.messages[0]?.id)).status).toBe(202)
    await settled()
    expect(after.runs()).toBe(0)
    expect(after.endpoint.stats().refusals).toEqual({ unmatchedResponse: 1 })

    await answer(sink.messages[0]?.id)
    await sink.ended()
    expect(after.runs()).toBe(1)
    await answer(sink.messages[0]?.id)
    expect(after.endpoint.stats().refusals).toEqual({ unmatchedResponse: 1 })
  })

  it('are cancelled when the session ends', async () => {
    const { call, send, headers, runs } = await open()
    const { sink } = await call()
    await sink.until(() => sink.messages.length > 0)
    await send({ method: 'DELETE', headers })
    await sink.ended()
    expect(runs()).toBe(0)
  })

  it('can be answered while the endpoint drains and refuses new calls', async () => {
    const { call, answer, endpoint, runs } = await open()
    const { sink } = await call()
    await sink.until(() => sink.messages.length > 0)
    const closed = endpoint.close()
    expect((await call(3)).status).toBe(503)
    expect((await answer(sink.messages[0]?.id, { ok: true })).status).toBe(202)
    await closed
    expect(sink.messages[1]).toMatchObject({ id: 2, result: { content: [{ text: '1 true' }] } })
    expect(runs()).toBe(1)
    expect((await answer(1, {})).status).toBe(503)
  })

  it.each<[string, EndpointOptions]>([
    ['has no sessions', { stateless: true }],
    ['sends only JSON replies', { response: 'json' }],
  ])('fail before the handler runs if the mount %s', async (_what, endpoint) => {
    const { call, runs } = await open(endpoint)
    const { json } = await call()
    expect(json.error).toMatchObject({
      code: -32600,
      message: expect.stringContaining('this connection cannot carry questions to the client') as string,
    })
    expect(runs()).toBe(0)
  })
})
