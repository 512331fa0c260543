import { FakeClock, notification, request } from '@jetway-apps/test-support'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { tasks } from '../../../src/index.ts'
import { MemoryBus } from '../../../src/stores/bus.ts'
import { MemoryTaskStore } from '../../../src/stores/task-store.ts'
import { McpServer } from '../../../src/server/mcp-server.ts'
import {
  type Answer,
  createHarness,
  type Harness,
  type HarnessOptions,
  type Message,
} from '../../http/support/harness.ts'
import { callModern, type ModernCall, requestMeta } from '../../support/modern-calls.ts'
import { ScriptedTransport } from '../../support/transport.ts'

const ID = 'io.modelcontextprotocol/tasks'
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'
const SEP = 'https://modelcontextprotocol.io/seps/2663-tasks-extension#task-status-notifications'
const CAPABILITIES = { elicitation: {}, extensions: { [ID]: {} } }
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged'
const CHANGED = 'notifications/tasks'

interface Bench extends Harness {
  /** Lets the tool `works` take its next step. */
  readonly step: () => void
  ask(method: string, params?: object, more?: ModernCall): Promise<Answer>
  start(more?: ModernCall): Promise<string>
  listen(taskIds: unknown, more?: ModernCall): Promise<Answer>
}

/**
 * Adds a tool that reports progress and then asks a question. Returns a function that lets the tool take its
 * next step.
 */
function addWorks(server: McpServer): () => void {
  const steps: (() => void)[] = []
  server.addTool({
    name: 'works',
    taskSupport: 'optional',
    async handler(_args, ctx) {
      const step = (): Promise<void> => new Promise((resolve) => steps.push(resolve))
      await step()
      await ctx.progress(1, 2, 'half way')
      ctx.log.error('not for tasks')
      await step()
      return (await ctx.elicit('Name?', z.object({ name: z.string() }))).name
    },
  })
  return () => steps.shift()?.()
}

function open(options: HarnessOptions = {}): Bench {
  let step = (): void => {}
  const harness = createHarness({
    server: { extensions: [tasks()] },
    ...options,
    setUp: (server) => (step = addWorks(server)),
  })
  const ask: Bench['ask'] = (method, params, more) =>
    callModern(harness, method, params, { capabilities: CAPABILITIES, ...more })
  return {
    ...harness,
    step: () => step(),
    ask,
    start: async (more) =>
      (await ask('tools/call', { name: 'works' }, more)).json.result?.['taskId'] as string,
    listen: (taskIds, more) => ask('subscriptions/listen', { notifications: { taskIds } }, more),
  }
}

const as = (principal: string): ModernCall => ({ more: { auth: { principal } } })
const toldOf = ({ sink }: Answer): (Message['params'] & { status?: string })[] =>
  sink.messages.filter(({ method }) => method === CHANGED).map(({ params = {} }) => params)
const statuses = (answer: Answer): unknown[] =>
  toldOf(answer).map(({ status, statusMessage }) => (statusMessage ? [status, statusMessage] : status))
/** Waits for this many notifications, and returns the last one. */
const told = async (answer: Answer, count: number): Promise<Record<string, unknown>> => {
  await vi.waitFor(() => expect(toldOf(answer)).toHaveLength(count), { interval: 1 })
  return toldOf(answer)[count - 1] ?? {}
}

describe(`a client that subscribes to its tasks (${SEP})`, () => {
  it('receives an acknowledgement and then only the states of those tasks, in the form of tasks/get', async () => {
    const bench = open()
    const taskId = await bench.start()
    const answer = await bench.listen([taskId])
    const get = async (): Promise<object> => {
      const {
        resultType: _type,
        _meta,
        ...task
      } = (await bench.ask('tasks/get', { taskId })).json.result ?? {}
      return { ...task, _meta: { [SUBSCRIPTION]: 7 } }
    }
    expect(await told(answer, 1)).toEqual(await get())
    bench.step()
    expect(await told(answer, 2)).toEqual(await get())
    bench.step()
    const asking = await told(answer, 3)
    expect(asking).toEqual(await get())
    const [key] = Object.keys(asking['inputRequests'] as object) as [string]
    const inputResponses = { [key]: { action: 'accept', content: { name: 'Ann' } } }
    await bench.ask('tasks/update', { taskId, inputResponses })
    await vi.waitFor(() => expect(toldOf(answer).at(-1)?.status).toBe('completed'), { interval: 1 })
    const last = toldOf(answer).at(-1)
    expect(last).toEqual(await get())
    expect(last).toMatchObject({ result: { content: [{ text: 'Ann' }] } })
    expect(statuses(answer)).toEqual([
      'working',
      ['working', 'half way'],
      ['input_required', 'half way'],
      ['working', 'half way'],
      'completed',
    ])
    expect(new Set(answer.sink.messages.slice(1).map(({ method }) => method))).toEqual(new Set([CHANGED]))
    expect(answer.sink.messages[0]).toEqual(
      notification(ACKNOWLEDGED, { _meta: { [SUBSCRIPTION]: 7 }, notifications: { taskIds: [taskId] } }),
    )
    expect(answer.sink.closed).toBe(false)
  })

  it('receives the state of a task that ended before the client subscribed', async () => {
    const bench = open()
    const taskId = await bench.start()
    await bench.ask('tasks/cancel', { taskId })
    expect(await told(await bench.listen([taskId]), 1)).toMatchObject({ taskId, status: 'cancelled' })
  })

  it('must have declared the extension', async () => {
    const bench = open()
    for (const taskIds of [[await bench.start()], [], 'malformed']) {
      const { status, json } = await bench.listen(taskIds, { capabilities: {} })
      expect([status, json.error]).toMatchObject([
        400,
        { code: -32_021, data: { requiredCapabilities: { extensions: { [ID]: {} } } } },
      ])
    }
  })

  it("receives nothing about another principal's task, as if its id were unknown", async () => {
    const bench = open()
    const [own, foreign, anyones] = [
      await bench.start(as('ann')),
      await bench.start(as('bob')),
      await bench.start(),
    ]
    const answer = await bench.listen([foreign, own, anyones, 'never', own], as('ann'))
    expect(answer.sink.messages[0]?.params?.['notifications']).toEqual({ taskIds: [own] })
    const bobs = await bench.listen([foreign], as('bob'))
    await bench.ask('tasks/cancel', { taskId: foreign }, as('bob'))
    await vi.waitFor(() => expect(statuses(bobs)).toContainEqual(['cancelled', 'The task was cancelled']))
    await bench.ask('tasks/cancel', { taskId: own }, as('ann'))
    await told(answer, 2)
    expect(new Set(toldOf(answer).map((task) => task?.['taskId']))).toEqual(new Set([own]))
    const none = await bench.listen(['never'], as('ann'))
    const others = await bench.listen([foreign], as('ann'))
    expect(others.sink.text).toBe(none.sink.text)
  })

  it.each([
    ['a value that is not an array', 'abc'],
    ['an id that is not a string', [1]],
    ['an id beyond 256 characters', ['a'.repeat(257)]],
    ['more than 1024 ids', Array.from({ length: 1025 }, (_, i) => `id ${i}`)],
  ])('receives error -32602 if it sends %s', async (_what, taskIds) => {
    expect((await open().listen(taskIds)).json.error?.code).toBe(-32_602)
  })

  it('receives nothing after its subscription has ended', async () => {
    const bench = open()
    const taskId = await bench.start()
    const [leaving, staying] = [await bench.listen([taskId]), await bench.listen([taskId])]
    await told(leaving, 1)
    await told(staying, 1)
    leaving.request.leave()
    await bench.ask('tasks/cancel', { taskId })
    await told(staying, 2)
    expect(toldOf(leaving)).toHaveLength(1)
  })

  it('receives an empty acknowledgement if the server lacks the extension', async () => {
    const { sink } = await open({ server: {} }).listen(['a'])
    expect(sink.messages[0]?.params?.['notifications']).toEqual({})
  })
})

describe('task subscribers', () => {
  it('receive every state on every node, regardless of which node runs or cancels the task', async () => {
    const shared = { bus: new MemoryBus(), tasks: { store: new MemoryTaskStore({ clock: new FakeClock() }) } }
    const [runs, other] = [1, 2].map(() => open({ server: { extensions: [tasks()], ...shared } })) as [
      Bench,
      Bench,
    ]
    const taskId = await runs.start()
    const [there, here] = [await other.listen([taskId]), await runs.listen([taskId])]
    runs.step()
    await vi.waitFor(() => expect(statuses(there)).toContainEqual(['working', 'half way']), { interval: 1 })
    await other.ask('tasks/cancel', { taskId })
    for (const answer of [there, here])
      await vi.waitFor(() => expect(toldOf(answer).at(-1)?.status).toBe('cancelled'), { interval: 1 })
  })

  it('receive the states of tasks that the same principal started in a session', async () => {
    const bench = open()
    const session = await bench.open({ version: '2025-11-25', more: { auth: { principal: 'ann' } } })
    const params = { name: 'works', task: {} }
    const created = await session.post({ jsonrpc: '2.0', id: 2, method: 'tools/call', params })
    const { taskId } = (created.json.result?.['task'] ?? {}) as { taskId?: string }
    const answer = await bench.listen([taskId], as('ann'))
    await told(answer, 1)
    bench.step()
    expect(await told(answer, 2)).toMatchObject({ taskId, status: 'working', statusMessage: 'half way' })
  })

  it('receive states on a connection that has several subscriptions', async () => {
    const server = new McpServer({ name: 'test', version: '1' }, { extensions: [tasks()] })
    const step = addWorks(server)
    const transport = new ScriptedTransport()
    server.connect(transport)
    const sent = transport.sent as Message[]
    const ask = (id: number, method: string, params: object): void =>
      void transport.receive(request(method, { ...params, _meta: requestMeta(CAPABILITIES) }, id))
    ask(1, 'tools/call', { name: 'works' })
    await vi.waitFor(() => expect(sent).toHaveLength(1), { interval: 1 })
    const taskId = sent[0]?.result?.['taskId']
    ask(2, 'subscriptions/listen', { notifications: { taskIds: [taskId] } })
    ask(3, 'subscriptions/listen', { notifications: { toolsListChanged: true } })
    await vi.waitFor(() => expect(sent).toHaveLength(4), { interval: 1 })
    step()
    await vi.waitFor(() => expect(sent).toHaveLength(5), { interval: 1 })
    expect(sent[4]).toMatchObject({
      method: CHANGED,
      params: { taskId, statusMessage: 'half way', _meta: { [SUBSCRIPTION]: 2 } },
    })
    await server.close({ deadline: 0 })
  })

  it('cause no messages on the bus if the extension is disabled', async () => {
    const bus = new MemoryBus()
    const heard: unknown[] = []
    bus.subscribe('changes', (message) => heard.push(message))
    const bench = open({ server: { bus } })
    const session = await bench.open({ version: '2025-11-25' })
    heard.length = 0
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'works', task: {} } }
    const created = (await session.post(call)).json.result?.['task'] ?? {}
    const { taskId } = created as { taskId?: string }
    expect(taskId).toBeDefined()
    await session.post({ jsonrpc: '2.0', id: 3, method: 'tasks/cancel', params: { taskId } })
    expect(heard).toEqual([])
  })
})
