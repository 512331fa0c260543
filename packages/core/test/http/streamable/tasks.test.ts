import { deferred, initialize, INITIALIZED, settled } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { EndpointOptions } from '../../../src/http/options.ts'
import { type Answer, createHarness, type Harness, type Message } from '../support/harness.ts'

const ok = z.object({ ok: z.boolean() })

interface Opened extends Harness {
  readonly headers: Record<string, string>
  /** Lets calls of the tool `waits` return. */
  readonly finish: () => void
  readonly signals: AbortSignal[]
  readonly ask: (method: string, params: object) => Promise<Answer>
  /** Starts a task, and returns its id. */
  readonly create: (name: string) => Promise<unknown>
  readonly answer: (question: Message | undefined) => Promise<Answer>
}

async function open(endpoint: EndpointOptions = {}): Promise<Opened> {
  const { promise: finished, resolve: finish } = deferred()
  const signals: AbortSignal[] = []
  const harness = createHarness({
    endpoint,
    setUp: (server) => {
      server.addTool({
        name: 'waits',
        taskSupport: 'optional',
        handler: async (_args, ctx) => {
          signals.push(ctx.signal)
          await finished
          return 'done'
        },
      })
      server.addTool({
        name: 'asks',
        taskSupport: 'optional',
        handler: async (_args, ctx) => String((await ctx.elicit('Sure?', ok)).ok),
      })
    },
  })
  const version = '2025-11-25'
  const initialized = await harness.post(initialize(version, { capabilities: { elicitation: {} } }))
  const headers = {
    'mcp-protocol-version': version,
    'mcp-session-id': initialized.headers['mcp-session-id'] ?? '',
  }
  await harness.post(INITIALIZED, headers)
  let id = 1
  const post = (message: object): Promise<Answer> => harness.post({ jsonrpc: '2.0', ...message }, headers)
  const ask = (method: string, asked: object): Promise<Answer> => post({ id: ++id, method, params: asked })
  return {
    ...harness,
    headers,
    finish,
    signals,
    ask,
    create: async (name) => {
      const { json } = await ask('tools/call', { name, task: {} })
      const { task } = json.result as { task: { taskId: unknown } }
      return task.taskId
    },
    answer: (question) => post({ id: question?.id, result: { action: 'accept', content: { ok: true } } }),
  }
}

describe('tasks over Streamable HTTP', () => {
  it('continue if the tasks/result stream is cut, and ask their questions again on the next one', async () => {
    const { create, ask, answer } = await open()
    const taskId = await create('asks')
    await settled()
    expect((await ask('tasks/get', { taskId })).json.result).toMatchObject({ status: 'input_required' })
    const cut = await ask('tasks/result', { taskId })
    await cut.sink.until(() => cut.sink.messages.length > 0)
    cut.request.leave()
    const again = await ask('tasks/result', { taskId })
    await again.sink.until(() => again.sink.messages.length > 0)
    expect((await answer(again.sink.messages[0])).status).toBe(202)
    await again.sink.ended()
    expect(again.sink.messages.at(-1)?.result).toMatchObject({ content: [{ text: 'true' }] })
    expect((await ask('tasks/get', { taskId })).json.result).toMatchObject({ status: 'completed' })
  })

  it('are created in a JSON reply, and their results are awaited on a stream with keep-alive', async () => {
    const { create, ask, clock, finish } = await open()
    const taskId = await create('waits')
    expect((await ask('tasks/get', { taskId })).headers['content-type']).toBe('application/json')
    const waiting = ask('tasks/result', { taskId })
    await settled()
    await clock.advance(2_000)
    const { sink, headers } = await waiting
    expect(headers['content-type']).toBe('text/event-stream')
    await clock.advance(15_000)
    expect(sink.text).toContain('\n:')
    finish()
    await sink.ended()
    expect(sink.messages[0]?.result).toMatchObject({ content: [{ text: 'done' }] })
    expect((await ask('tasks/result', { taskId })).headers['content-type']).toBe('application/json')
  })

  it('report their status on the GET stream', async () => {
    const { create, send, headers, finish } = await open()
    const { sink } = await send({ method: 'GET', headers })
    const taskId = await create('waits')
    finish()
    await sink.until(() => sink.messages.length > 0)
    expect(sink.messages).toMatchObject([
      { method: 'notifications/tasks/status', params: { taskId, status: 'completed' } },
    ])
  })

  it('keep their session alive only while they are running', async () => {
    const { create, ask, clock, finish } = await open({ sessions: { ttlMs: 10_000 } })
    const taskId = await create('waits')
    await clock.advance(60_000)
    expect((await ask('tasks/get', { taskId })).json.result).toMatchObject({ status: 'working' })
    finish()
    await settled()
    await clock.advance(60_000)
    expect((await ask('tasks/get', { taskId })).status).toBe(404)
  })

  it('end with their session if no other session can reach them', async () => {
    const { create, send, headers, signals } = await open()
    await create('waits')
    await settled()
    expect(signals[0]?.aborted).toBe(false)
    await send({ method: 'DELETE', headers })
    expect(signals[0]?.aborted).toBe(true)
  })

  it('cannot ask questions if the mount sends only JSON replies', async () => {
    const { create, ask } = await open({ response: 'json' })
    const taskId = await create('asks')
    const { json } = await ask('tasks/result', { taskId })
    expect(json.result).toMatchObject({ isError: true })
  })
})
