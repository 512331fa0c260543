import { settled } from '@jetway-apps/test-support'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod'
import { elicit } from '../../../src/call/input/question.ts'
import type { McpServer } from '../../../src/index.ts'
import { type Answer, type Harness, initializeMessage, type TestSession } from '../support/harness.ts'
import { createCluster, type TestNode } from '../support/nodes.ts'

const ok = z.object({ ok: z.boolean() })
const alice = { auth: { principal: 'alice' } }

const asking = (server: McpServer): void => {
  server.addTool({
    name: 'ask',
    asks: { confirm: () => elicit('Sure?', ok) },
    handler: (_args, ctx) => `${ctx.answers.confirm.ok}`,
  })
}

/** Opens a session for a client that answers questions. */
async function open(node: Harness, more: object = {}): Promise<TestSession> {
  const message = initializeMessage('2025-11-25') as { params: object }
  const params = { ...message.params, capabilities: { elicitation: {} } }
  const { headers } = await node.post({ ...message, params }, undefined, more)
  const id = headers['mcp-session-id'] ?? ''
  return node.continue({ id, headers: { 'mcp-session-id': id } }, more)
}

const answer = (session: TestSession, id: unknown, accepted: boolean): Promise<Answer> =>
  session.post({ jsonrpc: '2.0', id, result: { action: 'accept', content: { ok: accepted } } })

async function ask(session: TestSession, id: number): Promise<Answer> {
  const asked = await session.call('ask', {}, { id })
  await asked.sink.until(() => asked.sink.messages.length > 0)
  return asked
}

describe('a question', () => {
  it('can be answered on any node', async () => {
    const cluster = createCluster()
    const [a, b] = [cluster.node({ setUp: asking }), cluster.node({ setUp: asking })]
    const session = await open(a)
    const { sink } = await ask(session, 2)
    expect((await answer(b.at(session), sink.messages[0]?.id, true)).status).toBe(202)
    await sink.ended()
    expect(sink.messages[1]).toMatchObject({ id: 2, result: { content: [{ text: 'true' }] } })
  })

  it('has an id that is unique within the session across all nodes', async () => {
    const cluster = createCluster()
    const [a, b] = [cluster.node({ setUp: asking }), cluster.node({ setUp: asking })]
    const session = await open(a)
    const first = (await ask(session, 2)).sink
    const second = (await ask(b.at(session), 3)).sink
    expect(first.messages[0]?.id).not.toBe(second.messages[0]?.id)
    await answer(session, second.messages[0]?.id, false)
    await answer(session, first.messages[0]?.id, true)
    await Promise.all([first.ended(), second.ended()])
    expect([first.messages[1], second.messages[1]]).toMatchObject([
      { id: 2, result: { content: [{ text: 'true' }] } },
      { id: 3, result: { content: [{ text: 'false' }] } },
    ])
  })

  it('cannot be answered by another session or principal on another node', async () => {
    const cluster = createCluster()
    const [a, b] = [cluster.node({ setUp: asking }), cluster.node({ setUp: asking })]
    const { sink } = await ask(await open(a, alice), 2)
    const id = sink.messages[0]?.id
    expect((await answer(await open(b, alice), id, true)).status).toBe(202)
    expect((await answer(await open(b, { auth: { principal: 'bob' } }), id, true)).status).toBe(202)
    await settled()
    expect(sink.messages).toHaveLength(1)
  })

  it('is lost when its node stops, so that an answer sent to another node causes 503', async () => {
    const cluster = createCluster()
    const [a, b] = [cluster.node({ setUp: asking }), cluster.node({ setUp: asking })]
    const session = await open(a)
    const { sink } = await ask(session, 2)
    a.kill()
    const refused = await answer(b.at(session), sink.messages[0]?.id, true)
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1'])
  })

  it('receives its answer from another node even if the store fails briefly', async () => {
    const cluster = createCluster()
    const [a, b] = [cluster.node({ setUp: asking }), cluster.node({ setUp: asking })]
    const session = await open(a)
    const { sink } = await ask(session, 2)
    const send = vi.spyOn(b.shared.nodes, 'send').mockRejectedValueOnce(new Error('down'))
    onTestFinished(() => send.mockRestore())
    const answered = answer(b.at(session), sink.messages[0]?.id, true)
    await vi.waitFor(() => expect(send).toHaveBeenCalled())
    await cluster.clock.advance(50)
    expect((await answered).status).toBe(202)
    await sink.ended()
    expect(sink.messages[1]).toMatchObject({ id: 2, result: { content: [{ text: 'true' }] } })
  })

  it('can be answered again after another node could not forward the answer for 3 s', async () => {
    const cluster = createCluster()
    const [a, b] = [cluster.node({ setUp: asking }), cluster.node({ setUp: asking })]
    const session = await open(a)
    const { sink } = await ask(session, 2)
    const send = vi.spyOn(b.shared.nodes, 'send').mockRejectedValue(new Error('down'))
    const refused = answer(b.at(session), sink.messages[0]?.id, true)
    await vi.waitFor(() => expect(send).toHaveBeenCalled())
    await cluster.clock.advance(3_000)
    expect((await refused).status).toBe(503)
    send.mockRestore()
    expect((await answer(b.at(session), sink.messages[0]?.id, true)).status).toBe(202)
    await sink.ended()
    expect(sink.messages[1]).toMatchObject({ id: 2, result: { content: [{ text: 'true' }] } })
  })
})

interface Hanging {
  readonly node: TestNode
  readonly ended: unknown[]
}

function hanging(cluster: ReturnType<typeof createCluster>): Hanging {
  const ended: unknown[] = []
  const node = cluster.node({
    setUp: (server) => {
      server.addTool({
        name: 'hang',
        handler: (_args, ctx) =>
          new Promise<string>(() => ctx.signal.addEventListener('abort', () => ended.push(ctx.requestId))),
      })
    },
  })
  return { node, ended }
}

const cancel = (session: TestSession, requestId: number): Promise<Answer> =>
  session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })

describe('a cancellation', () => {
  it('ends the call, whichever node runs it', async () => {
    const cluster = createCluster()
    const [a, b, c] = [hanging(cluster), hanging(cluster), hanging(cluster)]
    const session = await a.node.open()
    void session.call('hang', {}, { id: 5 })
    void c.node.at(session).call('hang', {}, { id: 6 })
    await settled()
    expect((await cancel(b.node.at(session), 5)).status).toBe(202)
    await settled()
    expect([a.ended.length, b.ended.length, c.ended.length]).toEqual([1, 0, 0])
    await cancel(c.node.at(session), 6)
    expect(c.ended).toHaveLength(1)
  })

  it('ends all calls with the given id, even on several nodes', async () => {
    const cluster = createCluster()
    const [a, b] = [hanging(cluster), hanging(cluster)]
    const session = await a.node.open()
    void session.call('hang', {}, { id: 5 })
    void b.node.at(session).call('hang', {}, { id: 5 })
    await settled()
    await cancel(b.node.at(session), 5)
    await settled()
    expect([a.ended, b.ended]).toEqual([[5], [5]])
  })

  it('does nothing if several calls on one node have the same id', async () => {
    const cluster = createCluster()
    const [a, b] = [hanging(cluster), hanging(cluster)]
    const session = await a.node.open()
    for (let i = 0; i < 2; i++) void session.call('hang', {}, { id: 5 })
    await settled()
    for (const { node } of [a, b]) await cancel(node.at(session), 5)
    await settled()
    expect(a.ended).toEqual([])
  })

  it('does not affect calls in other sessions', async () => {
    const cluster = createCluster()
    const [a, b] = [hanging(cluster), hanging(cluster)]
    const session = await a.node.open()
    void session.call('hang', {}, { id: 5 })
    const other = await b.node.open()
    await cancel(a.node.at(other), 5)
    await cancel(other, 5)
    await settled()
    expect(a.ended).toEqual([])
  })

  it('ends a local call while other nodes are unreachable', async () => {
    const cluster = createCluster()
    const { node, ended } = hanging(cluster)
    const session = await node.open()
    void session.call('hang', {}, { id: 5 })
    await settled()
    const down = vi.spyOn(node.shared.bus, 'publish').mockRejectedValue(new Error('down'))
    onTestFinished(() => down.mockRestore())
    expect((await cancel(session, 5)).status).toBe(202)
    expect(ended).toEqual([5])
  })

  it.each([
    ['is kept for later', () => Promise.resolve(false)],
    ['fails', () => Promise.reject(new Error('down'))],
  ])('is refused with 503 if the message to the other nodes %s', async (_, publish) => {
    const cluster = createCluster()
    const [a, b] = [hanging(cluster), hanging(cluster)]
    const session = await a.node.open()
    const there = b.node.at(session)
    void session.call('hang', {}, { id: 5 })
    await settled()
    const down = vi.spyOn(b.node.shared.bus, 'publish').mockImplementation(publish)
    const message = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } }
    expect((await there.post(message)).status).toBe(503)
    down.mockRestore()
    expect((await there.post(message)).status).toBe(202)
    await settled()
    expect(a.ended).toEqual([5])
  })

  it('is refused with 503 as part of a batch if it may not have reached the other nodes', async () => {
    const cluster = createCluster()
    const [a, b] = [hanging(cluster), hanging(cluster)]
    const session = await a.node.open({ version: '2025-03-26' })
    const down = vi.spyOn(b.node.shared.bus, 'publish').mockResolvedValue(false)
    onTestFinished(() => down.mockRestore())
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } }
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    const there = b.node.at(session)
    expect((await there.post([cancelled])).status).toBe(503)
    // A batch that contains requests must not be repeated, because its calls have already begun.
    expect((await there.post([cancelled, ping])).status).toBe(200)
  })
})
