import { deferred, FakeClock } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { elicit, inputRequired, McpError, result, tasks, ToolError } from '../../../src/index.ts'
import { MemoryTaskStore } from '../../../src/stores/task-store.ts'
import { type Answer, createHarness, type Harness, type HarnessOptions } from '../../http/support/harness.ts'
import { callModern, type ModernCall } from '../../support/modern-calls.ts'

const ID = 'io.modelcontextprotocol/tasks'
const SEP = 'https://modelcontextprotocol.io/seps/2663-tasks-extension'
const CAPABILITIES = { elicitation: {}, extensions: { [ID]: {} } }
const REQUIRED = { requiredCapabilities: { extensions: { [ID]: {} } } }

interface Bench extends Harness {
  /** Lets the tool `slow` return. */
  readonly release: () => void
  /** The calls that ran, in order. */
  readonly ran: string[]
  ask(method: string, params?: object, more?: ModernCall): Promise<Answer>
  start(name: string, args?: object, more?: ModernCall): Promise<string>
  get(taskId: string, more?: ModernCall): Promise<Record<string, unknown>>
  /** Polls until the task has the given status. Only microtasks and timers of 0 ms run meanwhile. */
  until(taskId: string, status: string): Promise<Record<string, unknown>>
}

function open({ server, ...options }: HarnessOptions = {}): Bench {
  const { promise: released, resolve: release } = deferred()
  const ran: string[] = []
  const harness = createHarness({
    ...options,
    server: { extensions: [tasks()], ...server },
    setUp: (made) => {
      made.addTool({ name: 'plain', handler: () => 'plain' })
      made.addTool({
        name: 'slow',
        taskSupport: 'optional',
        async handler(_args, ctx) {
          ran.push('slow')
          ctx.log.error('not for tasks')
          await ctx.progress(1, 2, 'half way')
          await Promise.race([released, new Promise((end) => ctx.signal.addEventListener('abort', end))])
          return ctx.signal.aborted ? 'ended' : 'done'
        },
      })
      made.addTool({ name: 'must', taskSupport: 'required', handler: (_args, ctx) => ctx.task?.id ?? 'none' })
      made.addTool({
        name: 'fails',
        taskSupport: 'required',
        inputSchema: z.object({ how: z.string() }),
        handler: ({ how }) => {
          if (how === 'error') throw new McpError(-32_000, 'Broken', { at: 1 })
          if (how === 'tool') throw new ToolError('Not today')
          if (how === 'result') return result.error('No')
          throw new Error('secret')
        },
      })
      made.addTool({
        name: 'asks',
        taskSupport: 'required',
        async handler(_args, ctx) {
          const number = z.object({ n: z.number() })
          const [one, two] = await Promise.all([ctx.elicit('First?', number), ctx.elicit('Second?', number)])
          return `${one.n + two.n + (await ctx.elicit('Third?', number)).n}`
        },
      })
      made.addTool({
        name: 'rounds',
        taskSupport: 'optional',
        handler: (_args, ctx) => {
          const given = ctx.inputs.get('who', z.object({ name: z.string() }))
          return given?.name ?? inputRequired({ who: elicit('Who?', z.object({ name: z.string() })) })
        },
      })
      made.addTool({
        name: 'first',
        taskSupport: 'required',
        asks: { who: () => elicit('Who?', z.object({ name: z.string() })) },
        handler: (_args, ctx) => {
          ran.push('first')
          return `Hello, ${ctx.answers.who.name}`
        },
      })
    },
  })
  const ask: Bench['ask'] = (method, params, more) =>
    callModern(harness, method, params, { capabilities: CAPABILITIES, ...more })
  const get: Bench['get'] = async (taskId, more) => {
    const { json } = await ask('tasks/get', { taskId }, more)
    return json.result ?? { error: json.error }
  }
  return {
    ...harness,
    release,
    ran,
    ask,
    get,
    start: async (name, args = {}, more) => {
      const { json } = await ask('tools/call', { name, arguments: args }, more)
      expect(json.result?.['resultType']).toBe('task')
      return json.result?.['taskId'] as string
    },
    until: async (taskId, status) => {
      for (let tries = 0; tries < 200; tries++) {
        const task = await get(taskId)
        if (task['status'] === status) return task
        await new Promise((resolve) => setTimeout(resolve, 0))
      }
      throw new Error(`The task never was ${status}: ${JSON.stringify(await get(taskId))}`)
    },
  }
}

const asked = (task: Record<string, unknown>): [string, { method: string; params: object }][] =>
  Object.entries((task['inputRequests'] ?? {}) as Record<string, { method: string; params: object }>)
const filled = (n: number): object => ({ action: 'accept', content: { n } })
const as = (principal: string): ModernCall => ({ more: { auth: { principal } } })

describe(`a tool that can run as a task (${SEP})`, () => {
  it('returns a stored task in the flat format of the extension', async () => {
    const bench = open()
    const { json, text } = await bench.ask('tools/call', { name: 'slow' })
    expect(json.result).toMatchObject({
      resultType: 'task',
      status: 'working',
      ttlMs: 3_600_000,
      pollIntervalMs: 1000,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      lastUpdatedAt: expect.any(String) as string,
    })
    for (const never of ['ttl', 'pollInterval', 'task', 'result', 'requestState', 'inputRequests'])
      expect(json.result).not.toHaveProperty(never)
    expect(text.match(/"resultType"/g)).toHaveLength(1)
    const taskId = json.result?.['taskId'] as string
    expect(taskId).toMatch(/^[\w-]{22,}$/)
    expect(await bench.get(taskId)).toMatchObject({ resultType: 'complete', taskId, status: 'working' })
  })

  it('stores its result in the task when it ends, and reports progress in the status message', async () => {
    const bench = open()
    const taskId = await bench.start('slow')
    let task = await bench.get(taskId)
    for (let tries = 0; tries < 50 && task['statusMessage'] === undefined; tries++)
      task = await bench.get(taskId)
    expect(task['statusMessage']).toBe('half way')
    bench.release()
    const ended = await bench.until(taskId, 'completed')
    expect(ended['result']).toMatchObject({ content: [{ type: 'text', text: 'done' }] })
    expect(JSON.stringify(ended)).not.toContain('related-task')
    expect(bench.ran).toEqual(['slow'])
  })

  it('runs as a plain call for a client without the extension unless the tool requires tasks', async () => {
    const bench = open()
    bench.release()
    const capabilities = {}
    const plain = await bench.ask('tools/call', { name: 'slow' }, { capabilities })
    expect(plain.text).toContain('"done"')
    const { status, json } = await bench.ask('tools/call', { name: 'must' }, { capabilities })
    expect([status, json.error]).toMatchObject([400, { code: -32_021, data: REQUIRED }])
  })

  it('does not run as a task merely because the client requests one', async () => {
    const bench = open()
    const task = { ttl: 5 }
    expect((await bench.ask('tools/call', { name: 'plain', task })).json.result?.['resultType']).toBe(
      'complete',
    )
    const { json } = await bench.ask('tools/call', { name: 'slow', task })
    expect(json.result).toMatchObject({ resultType: 'task', ttlMs: 3_600_000 })
    bench.release()
    const undeclared = await bench.ask('tools/call', { name: 'slow', task }, { capabilities: {} })
    expect(undeclared.json.result?.['resultType']).toBe('complete')
  })

  it('runs as a plain call if the server lacks the extension', async () => {
    const bench = open({ server: { extensions: [] } })
    const { json } = await bench.ask('tools/call', { name: 'must' })
    expect(json.result).toMatchObject({ resultType: 'complete', content: [{ text: 'none' }] })
    expect((await bench.ask('tasks/get', { taskId: 'a' })).json.error?.code).toBe(-32_601)
  })

  it.each([
    ['tool', 'completed', { result: { isError: true, content: [{ text: 'Not today' }] } }],
    ['result', 'completed', { result: { isError: true, content: [{ text: 'No' }] } }],
    ['other', 'completed', { result: { isError: true } }],
    ['error', 'failed', { error: { code: -32_000, message: 'Broken', data: { at: 1 } } }],
  ])('ends the task after the failure "%s" with the status %s', async (how, status, outcome) => {
    const bench = open()
    const task = await bench.until(await bench.start('fails', { how }), status)
    expect(task).toMatchObject(outcome)
    expect(task).not.toHaveProperty(status === 'failed' ? 'result' : 'error')
    expect(JSON.stringify(task)).not.toContain('secret')
  })

  it('runs middleware only in the task, not in the call that starts the task', async () => {
    const bench = open()
    const seen: (string | undefined)[] = []
    bench.server.use('tools/call', async (ctx, next) => {
      seen.push(ctx.task?.id)
      return next()
    })
    const taskId = await bench.start('must')
    await bench.until(taskId, 'completed')
    expect(seen).toEqual([taskId])
  })

  it('is declared through the extension, not through the task capability of session revisions', async () => {
    const { json } = await open().ask('server/discover')
    expect(json.result?.['capabilities']).toMatchObject({ extensions: { [ID]: {} } })
    expect(json.result?.['capabilities']).not.toHaveProperty('tasks')
    for (const method of ['tasks/result', 'tasks/list'])
      expect((await open().ask(method, { taskId: 'a' })).json.error?.code, method).toBe(-32_601)
  })
})

describe(`the task methods (${SEP})`, () => {
  const EACH: [method: string, more: object][] = [
    ['tasks/get', {}],
    ['tasks/update', { inputResponses: {} }],
    ['tasks/cancel', {}],
  ]

  it.each(EACH)('require the client to declare the extension: %s', async (method, more) => {
    const { status, json } = await open().ask(method, { taskId: 'a', ...more }, { capabilities: {} })
    expect([status, json.error]).toMatchObject([400, { code: -32_021, data: REQUIRED }])
  })

  it.each(EACH)('reject an unknown task: %s', async (method, more) => {
    expect((await open().ask(method, { taskId: 'a', ...more })).json.error?.code).toBe(-32_602)
    expect((await open().ask(method, more)).json.error?.code).toBe(-32_602)
  })

  it.each(EACH)('require the task id in the Mcp-Name header: %s', async (method, more) => {
    const bench = open()
    const taskId = await bench.start('slow')
    for (const name of ['other', undefined]) {
      const { status, json } = await bench.ask(method, { taskId, ...more }, { headers: { 'mcp-name': name } })
      expect([status, json.error?.code], name).toEqual([400, -32_020])
    }
    expect((await bench.ask(method, { taskId, ...more })).status).toBe(200)
  })

  it.each(EACH)(
    "return the same error for another principal's task as for an unknown task: %s",
    async (method, more) => {
      const bench = open()
      const taskId = await bench.start('slow', {}, as('ann'))
      const foreign = await bench.ask(method, { taskId, ...more }, as('bob'))
      const none = await bench.ask(method, { taskId: 'none', ...more }, as('bob'))
      expect(foreign.text).toBe(none.text)
      expect((await bench.ask(method, { taskId, ...more })).text).toBe(none.text)
      expect(await bench.get(taskId, as('ann'))).toMatchObject({ status: 'working' })
    },
  )

  it('include tasks/cancel, which aborts the handler, returns an empty result, and can be called again', async () => {
    const bench = open()
    const taskId = await bench.start('slow')
    for (const _ of [1, 2]) {
      const { json } = await bench.ask('tasks/cancel', { taskId })
      expect(Object.keys(json.result ?? {}).toSorted()).toEqual(['_meta', 'resultType'])
    }
    const task = await bench.until(taskId, 'cancelled')
    expect(task).not.toHaveProperty('error')
    expect(task).not.toHaveProperty('result')
    await bench.server.close()
    expect(bench.server.stats().tasks).toBe(0)
  })

  it('leave an ended task unchanged if it is cancelled', async () => {
    const bench = open()
    const taskId = await bench.start('must')
    await bench.until(taskId, 'completed')
    expect((await bench.ask('tasks/cancel', { taskId })).json.result).toBeDefined()
    expect(await bench.get(taskId)).toMatchObject({ status: 'completed' })
  })

  it('can read a task that continued after the client that started it disconnected', async () => {
    const bench = open()
    const { request, json } = await bench.ask('tools/call', { name: 'slow' })
    request.leave()
    bench.release()
    await bench.until(json.result?.['taskId'] as string, 'completed')
  })
})

describe(`input for a task (${SEP})`, () => {
  it('is requested through tasks/get, and can be sent in parts through tasks/update with unique keys', async () => {
    const bench = open()
    const taskId = await bench.start('asks')
    const both = asked(await bench.until(taskId, 'input_required'))
    expect(both.map(([, { method }]) => method)).toEqual(['elicitation/create', 'elicitation/create'])
    expect(JSON.stringify(both)).not.toContain('related-task')
    const [[one], [two]] = both as [[string, object], [string, object]]
    const update = (inputResponses: object): Promise<Answer> =>
      bench.ask('tasks/update', { taskId, inputResponses })
    const ack = await update({ [one]: filled(1), unknown: filled(7) })
    expect(Object.keys(ack.json.result ?? {}).toSorted()).toEqual(['_meta', 'resultType'])
    const left = await bench.until(taskId, 'input_required')
    expect(asked(left).map(([key]) => key)).toEqual([two])
    await update({ [one]: filled(50), [two]: filled(2) })
    let third: string | undefined
    for (let tries = 0; tries < 200 && third === undefined; tries++) {
      third = asked(await bench.get(taskId)).find(([key]) => key !== two)?.[0]
      await new Promise((resolve) => setTimeout(resolve, 0))
    }
    expect(third).toEqual(expect.any(String))
    expect([one, two]).not.toContain(third)
    await update({ [third as string]: filled(4) })
    expect(await bench.until(taskId, 'completed')).toMatchObject({ result: { content: [{ text: '7' }] } })
    expect((await update({ [one]: filled(1) })).json.result).toBeDefined()
  })

  it.each([undefined, 'x', [], { key: 'x' }, { key: null }])(
    'is rejected if inputResponses is %j',
    async (inputResponses) => {
      const bench = open()
      const taskId = await bench.start('asks')
      const { json } = await bench.ask('tasks/update', { taskId, inputResponses })
      expect(json.error?.code).toBe(-32_602)
    },
  )

  it('can be requested by a handler that returns inputRequired', async () => {
    const bench = open()
    const taskId = await bench.start('rounds')
    const [[key]] = asked(await bench.until(taskId, 'input_required')) as [[string, object]]
    const inputResponses = { [key]: { action: 'accept', content: { name: 'Ann' } } }
    await bench.ask('tasks/update', { taskId, inputResponses })
    expect(await bench.until(taskId, 'completed')).toMatchObject({ result: { content: [{ text: 'Ann' }] } })
  })

  it('makes the task fail if the client does not support input', async () => {
    const bench = open()
    const capabilities = { extensions: { [ID]: {} } }
    const { json } = await bench.ask('tools/call', { name: 'asks' }, { capabilities })
    const task = await bench.until(json.result?.['taskId'] as string, 'failed')
    expect(task).toMatchObject({ error: { code: -32_021 } })
  })

  it('is requested before the task starts if the tool declares asks', async () => {
    const bench = open()
    const first = await bench.ask('tools/call', { name: 'first', arguments: {} })
    expect(first.json.result).toMatchObject({ resultType: 'input_required', inputRequests: { who: {} } })
    expect(first.json.result).not.toHaveProperty('taskId')
    const { requestState } = first.json.result as { requestState: string }
    const second = await bench.ask('tools/call', {
      name: 'first',
      arguments: {},
      requestState,
      inputResponses: { who: { action: 'accept', content: { name: 'Ann' } } },
    })
    expect(second.json.result).toMatchObject({ resultType: 'task', status: 'working' })
    expect(second.json.result).not.toHaveProperty('requestState')
    const task = await bench.until(second.json.result?.['taskId'] as string, 'completed')
    expect(task['result']).toMatchObject({ content: [{ text: 'Hello, Ann' }] })
    expect(bench.ran).toEqual(['first'])
  })

  it('is rejected by a node that does not run the task', async () => {
    const store = new MemoryTaskStore({ clock: new FakeClock() })
    const [one, other] = [open({ server: { tasks: { store } } }), open({ server: { tasks: { store } } })]
    const taskId = await one.start('asks')
    const [[key]] = asked(await one.until(taskId, 'input_required')) as [[string, object]]
    expect(asked(await other.get(taskId))).toHaveLength(2)
    const { json } = await other.ask('tasks/update', { taskId, inputResponses: { [key]: filled(1) } })
    expect(json.error?.code).toBe(-32_603)
    await other.ask('tasks/cancel', { taskId })
    expect(await one.get(taskId)).toMatchObject({ status: 'cancelled' })
  })
})

describe('anonymous clients', () => {
  it("share a task limit that is higher than the limit per principal and lower than the store's limit", async () => {
    const bench = open({
      server: { tasks: { store: new MemoryTaskStore({ clock: new FakeClock(), max: 260 }) } },
    })
    for (let i = 0; i < 130; i++) await bench.start('slow')
    const { json } = await bench.ask('tools/call', { name: 'slow', arguments: {} })
    expect(json.error).toMatchObject({
      code: -32_603,
      message: 'The server can keep no more tasks: wait until one has ended',
    })
    bench.release()
  })
})
