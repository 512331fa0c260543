import { deferred } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { tasks, ToolError } from '../../../src/index.ts'
import { type Answer, createHarness, type Harness } from '../../http/support/harness.ts'
import { callModern } from '../../support/modern-calls.ts'

const SEP = 'https://modelcontextprotocol.io/seps/2663-tasks-extension#backward-compatibility'
const EXTENSION = { 'io.modelcontextprotocol/tasks': {} }
/** The capabilities of a client that supports only the tasks of 2025-11-25. */
const EARLIER = { tasks: { list: {}, cancel: {}, requests: { elicitation: { create: {} } } } }
const MISSING = { code: -32_021, data: { requiredCapabilities: { extensions: EXTENSION } } }
const ann = { auth: { principal: 'ann' } }

interface Bench extends Harness {
  readonly release: () => void
  /** Starts a task in a 2025-11-25 session. */
  readonly begin: (name: string) => Promise<string>
  readonly ask: (method: string, params: object, capabilities?: object) => Promise<Answer>
}

function open(): Bench {
  const { promise: released, resolve: release } = deferred()
  const harness = createHarness({
    server: { extensions: [tasks()] },
    setUp: (server) => {
      server.addTool({ name: 'quick', taskSupport: 'optional', handler: () => 'done' })
      server.addTool({ name: 'slow', taskSupport: 'optional', handler: () => released.then(() => 'done') })
      server.addTool({
        name: 'fails',
        taskSupport: 'optional',
        handler: () => {
          throw new ToolError('Not today')
        },
      })
    },
  })
  return {
    ...harness,
    release,
    begin: async (name) => {
      const session = await harness.open({ version: '2025-11-25', more: ann })
      const message = { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name, task: { ttl: 60_000 } } }
      const { json } = await harness.post(message, session.headers, ann)
      return (json.result as { task: { taskId: string } }).task.taskId
    },
    ask: (method, params, capabilities = EARLIER) =>
      callModern(harness, method, params, { capabilities, more: ann }),
  }
}

/** Polls until the task has ended. Only turns of the event loop pass. */
async function ended({ ask }: Bench, taskId: string, capabilities?: object): Promise<object> {
  for (let tries = 0; tries < 200; tries++) {
    const { json } = await ask('tasks/get', { taskId }, capabilities)
    if (json.result?.['status'] !== 'working') return json.result ?? {}
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
  throw new Error('The task never ended')
}

describe(`a 2026-07-28 client that declares only the 2025-11-25 tasks (${SEP})`, () => {
  it('may read a task that it started in 2025-11-25, including its result', async () => {
    const bench = open()
    const taskId = await bench.begin('quick')
    expect(await ended(bench, taskId)).toMatchObject({
      resultType: 'complete',
      taskId,
      status: 'completed',
      ttl: 60_000,
      pollInterval: 1000,
      ttlMs: 60_000,
      pollIntervalMs: 1000,
      result: { content: [{ type: 'text', text: 'done' }] },
    })
  })

  it('sees a task with a tool error as failed, not as completed', async () => {
    const bench = open()
    const taskId = await bench.begin('fails')
    const result = { isError: true, content: [{ text: 'Not today' }] }
    expect(await ended(bench, taskId)).toMatchObject({ status: 'failed', result })
    const shown = await ended(bench, taskId, { extensions: EXTENSION })
    expect(shown).toMatchObject({ status: 'completed', result })
    expect(shown).not.toHaveProperty('error')
    expect(shown).not.toHaveProperty('ttl')
  })

  it('may cancel a task that it started in 2025-11-25, but only once', async () => {
    const bench = open()
    const taskId = await bench.begin('slow')
    const { json } = await bench.ask('tasks/cancel', { taskId })
    expect(json.result).toMatchObject({ taskId, status: 'cancelled', ttl: 60_000 })
    expect((await bench.ask('tasks/cancel', { taskId })).json.error).toMatchObject({ code: -32_602 })
    bench.release()
  })

  it('cannot use other task methods, just like a client without the extension', async () => {
    const bench = open()
    const { json } = await bench.ask('tools/call', { name: 'slow' }, { extensions: EXTENSION })
    const taskId = json.result?.['taskId']
    const earlier = await bench.begin('slow')
    for (const [method, params] of [
      ['tasks/get', { taskId }],
      ['tasks/cancel', { taskId }],
      ['tasks/get', { taskId: 'none' }],
      ['tasks/update', { taskId: earlier, inputResponses: {} }],
    ] as const) {
      const { status, json: refused } = await bench.ask(method, params)
      expect([status, refused.error], method).toMatchObject([400, MISSING])
    }
    const called = await bench.ask('tools/call', { name: 'quick', task: { ttl: 60_000 } })
    expect(called.json.result).toMatchObject({ resultType: 'complete', content: [{ text: 'done' }] })
    expect((await bench.ask('tasks/result', { taskId: earlier })).json.error).toMatchObject({ code: -32_601 })
    bench.release()
  })

  it("cannot read another principal's task, or its own if the request declares no capabilities", async () => {
    const bench = open()
    const taskId = await bench.begin('slow')
    const foreign = await callModern(bench, 'tasks/get', { taskId }, { capabilities: EARLIER })
    expect(foreign.json.error).toMatchObject(MISSING)
    expect((await bench.ask('tasks/get', { taskId }, {})).json.error).toMatchObject(MISSING)
    bench.release()
  })
})
