import { settled } from '@jetway-apps/test-support'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { McpServer } from '../../../src/index.ts'
import {
  type Answer,
  initializeMessage,
  type Message,
  type TestSession,
  type TestSink,
} from '../support/harness.ts'
import { type Cluster, createCluster, type TestNode } from '../support/nodes.ts'

const alice = { auth: { principal: 'alice' } }

interface Bench {
  readonly cluster: Cluster
  readonly a: TestNode
  readonly b: TestNode
  /** A session on the first node, whose client answers questions. */
  readonly session: TestSession
  readonly taskId: string
  readonly aborted: () => number
}

/** Starts two nodes, and a task that runs on the first one. */
async function bench(tool: 'hang' | 'ask'): Promise<Bench> {
  let aborted = 0
  const setUp = (server: McpServer): void => {
    server.addTool({
      name: 'hang',
      taskSupport: 'optional',
      handler: (_args, ctx) =>
        new Promise<string>(() => ctx.signal.addEventListener('abort', () => void aborted++)),
    })
    server.addTool({
      name: 'ask',
      taskSupport: 'optional',
      handler: async (_args, ctx) => JSON.stringify(await ctx.elicit('Sure?', z.object({ ok: z.boolean() }))),
    })
  }
  const cluster = createCluster()
  const [a, b] = [cluster.node({ setUp }), cluster.node({ setUp })]
  const message = initializeMessage('2025-11-25') as { params: object }
  const params = { ...message.params, capabilities: { elicitation: {} } }
  const { headers } = await a.post({ ...message, params }, undefined, alice)
  const id = headers['mcp-session-id'] ?? ''
  const session = a.continue({ id, headers: { 'mcp-session-id': id } }, alice)
  const started = await session.post({
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: { name: tool, arguments: {}, task: {} },
  })
  const { task } = started.json.result as { readonly task: { readonly taskId: string } }
  await settled()
  return { cluster, a, b, session: b.continue(session, alice), taskId: task.taskId, aborted: () => aborted }
}

const call = ({ session, taskId }: Bench, method: string): Promise<Answer> =>
  session.post({ jsonrpc: '2.0', id: 9, method, params: { taskId } })
const status = async (nodes: Bench): Promise<Message> => (await call(nodes, 'tasks/get')).json

/** Accepts the latest question on a stream. */
async function answerLast({ session }: Bench, sink: TestSink): Promise<void> {
  const result = { action: 'accept', content: { ok: true } }
  await session.post({ jsonrpc: '2.0', id: sink.messages.at(-1)?.id, result })
}

describe('a task on another node', () => {
  it('can be read and cancelled', async () => {
    const nodes = await bench('hang')
    expect((await status(nodes)).result).toMatchObject({ status: 'working' })
    expect((await call(nodes, 'tasks/cancel')).json.result).toMatchObject({ status: 'cancelled' })
    await settled()
    expect(nodes.aborted()).toBe(1)
  })

  it('sends its questions on the tasks/result call that this node received', async () => {
    const nodes = await bench('ask')
    const pending = call(nodes, 'tasks/result')
    await settled()
    await nodes.cluster.clock.advance(2_000)
    const { sink } = await pending
    const [question] = sink.messages
    expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'Sure?' } })
    await nodes.session.post({
      jsonrpc: '2.0',
      id: question?.id,
      result: { action: 'accept', content: { ok: true } },
    })
    await nodes.cluster.clock.advance(2_000)
    await sink.ended()
    expect(JSON.stringify(sink.messages.at(-1)?.result)).toContain('ok')
  })

  it.each([
    ['is on this node', false],
    ['has moved to this node', true],
  ])('sends its status on a GET stream that %s', async (_, moved) => {
    const nodes = await bench('hang')
    const atFirst = nodes.a.continue(nodes.session, alice)
    const first = moved ? await atFirst.get() : undefined
    const { sink } = await nodes.session.get()
    await settled()
    await call({ ...nodes, session: atFirst }, 'tasks/cancel')
    await settled()
    const cancelled = { method: 'notifications/tasks/status', params: { status: 'cancelled' } }
    // A stream that has moved to another node starts with a notification that all lists have changed.
    expect(sink.messages.slice(moved ? 1 : 0)).toMatchObject([cancelled])
    expect([first?.sink.closed ?? true, first?.sink.messages ?? []]).toEqual([true, []])
  })

  it('ends a pending tasks/result call on this node as soon as the task is cancelled', async () => {
    const nodes = await bench('hang')
    const pending = call(nodes, 'tasks/result')
    await settled()
    expect(
      (await call({ ...nodes, session: nodes.a.continue(nodes.session, alice) }, 'tasks/cancel')).status,
    ).toBe(200)
    await settled()
    expect((await pending).json.error).toMatchObject({ message: 'The task was cancelled' })
  })

  it.each([
    ['fails', () => Promise.reject(new Error('down'))],
    ['is refused', () => false],
  ])('receives an answer even if forwarding the answer %s once', async (_, send) => {
    const nodes = await bench('ask')
    const pending = call(nodes, 'tasks/result')
    await nodes.cluster.clock.advance(1_000)
    const { sink } = await pending
    vi.spyOn(nodes.b.shared.nodes, 'send').mockImplementationOnce(send)
    await answerLast(nodes, sink)
    for (let i = 0; i < 3; i++) await nodes.cluster.clock.advance(1_000)
    expect(sink.closed).toBe(true)
    expect(sink.messages).toHaveLength(2)
    expect(JSON.stringify(sink.messages.at(-1)?.result)).toContain('ok')
  })

  it('asks its question again if the answer could not be forwarded for 3 s', async () => {
    const nodes = await bench('ask')
    const pending = call(nodes, 'tasks/result')
    await nodes.cluster.clock.advance(1_000)
    const { sink } = await pending
    const sending = vi.spyOn(nodes.b.shared.nodes, 'send').mockRejectedValue(new Error('down'))
    await answerLast(nodes, sink)
    await nodes.cluster.clock.advance(5_000)
    expect(sink.messages).toMatchObject([{ method: 'elicitation/create' }, { method: 'elicitation/create' }])
    sending.mockRestore()
    await answerLast(nodes, sink)
    for (let i = 0; i < 3; i++) await nodes.cluster.clock.advance(1_000)
    expect(sink.closed).toBe(true)
    expect(JSON.stringify(sink.messages.at(-1)?.result)).toContain('ok')
  })

  it('is aborted even if forwarding the cancellation fails once', async () => {
    const nodes = await bench('hang')
    vi.spyOn(nodes.b.shared.nodes, 'send').mockRejectedValueOnce(new Error('down'))
    expect((await call(nodes, 'tasks/cancel')).json.result).toMatchObject({ status: 'cancelled' })
    await nodes.cluster.clock.advance(1_000)
    expect(nodes.aborted()).toBe(1)
  })

  it('fails if its node has stopped', async () => {
    const nodes = await bench('hang')
    const pending = call(nodes, 'tasks/result')
    await settled()
    nodes.a.kill()
    await nodes.cluster.clock.advance(1_000)
    expect((await pending).json).toMatchObject({ id: 9, error: { code: -32_603 } })
    expect((await status(nodes)).result).toMatchObject({ status: 'failed' })
  })
})

describe('tasks created by an anonymous client', () => {
  it('survive when one node releases the session', async () => {
    const cluster = createCluster()
    const setUp = (server: McpServer): void =>
      void server.addTool({ name: 'done', taskSupport: 'optional', handler: () => 'done' })
    const endpoint = { sessions: { ttlMs: 60_000 } }
    const [a, b] = [cluster.node({ setUp, endpoint }), cluster.node({ setUp, endpoint })]
    const session = await a.open({ version: '2025-11-25' })
    await session.post({
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'done', arguments: {}, task: {} },
    })
    await settled()
    for (let i = 0; i < 4; i++) {
      await cluster.clock.advance(30_000)
      await b.at(session).post({ jsonrpc: '2.0', id: 3, method: 'ping' })
    }
    expect(a.endpoint.stats().sessions).toBe(0)
    expect(cluster.tasks.size).toBe(1)
  })
})

describe('a task method during a store failure', () => {
  it.each([
    ['create', 'tools/call', { name: 'run', task: {} }],
    ['get', 'tasks/get', { taskId: 'any' }],
    ['get', 'tasks/result', { taskId: 'any' }],
    ['list', 'tasks/list', {}],
    ['update', 'tasks/cancel', { taskId: 'any' }],
  ] as const)(
    'returns 503 if the %s operation fails (%s), but works again once the store has recovered',
    async (step, method, params) => {
      const cluster = createCluster()
      let runs = 0
      const handler = (): string => `Run ${++runs}`
      const node = cluster.node({
        setUp: (server) => void server.addTool({ name: 'run', taskSupport: 'optional', handler }),
      })
      const { headers } = await node.post(initializeMessage('2025-11-25'))
      const id = headers['mcp-session-id'] ?? ''
      const session = node.continue({ id, headers: { 'mcp-session-id': id } })
      const request = { jsonrpc: '2.0', id: 2, method, params }
      const failing = vi.spyOn(cluster.tasks, step as 'get').mockImplementation(() => {
        throw new Error('store down')
      })
      const refused = await session.post(request)
      expect([refused.status, refused.headers['retry-after'], refused.json.error?.code]).toEqual([
        503,
        '1',
        -32603,
      ])
      failing.mockRestore()
      expect((await session.post({ ...request, id: 3 })).status).not.toBe(503)
      await settled()
      expect(runs).toBe(method === 'tools/call' ? 1 : 0)
    },
  )
})
