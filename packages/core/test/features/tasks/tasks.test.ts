import { deferred, FakeClock, initialize, request, settled, silent } from '@jetway-apps/test-support'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import {
  content,
  elicit,
  McpError,
  McpServer,
  result,
  type ServerOptions,
  ToolError,
} from '../../../src/index.ts'
import type { RequestContext } from '../../../src/call/request-context.ts'
import { RELATED_TASK } from '../../../src/protocol/methods.ts'
import { MemoryTaskStore, type TaskRecord, type TaskStore } from '../../../src/stores/task-store.ts'
import {
  accept,
  type AnsweringClient,
  type Message,
  openAnsweringClient,
  textOf,
} from '../../support/answering-client.ts'

type Options = Omit<ServerOptions, 'clock'> & { readonly clock?: FakeClock }

type Handler = (args: object, ctx: RequestContext) => unknown

function bench({ clock = new FakeClock(), ...options }: Options = {}) {
  const server = new McpServer({ name: 'tasks', version: '1' }, { clock, logger: silent, ...options })
  const held = deferred<string | undefined>()
  onTestFinished(() => {
    held.resolve(undefined)
    return server.close()
  })
  const signals: AbortSignal[] = []
  server.addTool({
    name: 'slow',
    taskSupport: 'optional',
    inputSchema: z.object({ city: z.string().default('Rome') }),
    handler: async ({ city }, ctx) => {
      signals.push(ctx.signal)
      const given = await held.promise
      return given ?? `It rains in ${city}`
    },
  })
  server.addTool({ name: 'plain', handler: () => 'plain' })
  /** Adds a tool that can run as a task. */
  const add = (name: string, handler: Handler, more: object = {}): void =>
    void server.addTool({ name, taskSupport: 'optional', handler, ...more })
  return { clock, server, gate: held, signals, add }
}

/** Connects a client to the server under test. */
const started = async <M extends ReturnType<typeof bench>>(
  made: M,
  options?: Parameters<typeof openAnsweringClient>[1],
) => ({
  ...made,
  client: await openAnsweringClient(made.server, options),
})

async function create(client: AnsweringClient, params: object): Promise<Record<string, unknown>> {
  const { result: created, error } = await client.request('tools/call', { task: {}, ...params })
  if (error !== undefined) throw new Error(error.message)
  return created?.['task'] as Record<string, unknown>
}

const idOf = async (client: AnsweringClient, params: object): Promise<string> =>
  String((await create(client, params))['taskId'])

const idsOf = (listed: Message['result']): string[] =>
  (listed as unknown as { tasks: { taskId: string }[] }).tasks.map(({ taskId }) => taskId)

const status = async (client: AnsweringClient, taskId: string): Promise<unknown> =>
  (await client.request('tasks/get', { taskId })).result?.['status']

const resultOf = async (client: AnsweringClient, taskId: unknown): Promise<string> =>
  textOf(await outcome(client, taskId))

/** The response to tasks/result. */
const outcome = (client: AnsweringClient, taskId: unknown): Promise<Message> =>
  client.request('tasks/result', { taskId })

/** A server whose store is accessible to the test. */
function stored(options: { readonly max?: number; readonly maxBytes?: number } = {}) {
  const clock = new FakeClock()
  const store = new MemoryTaskStore({ clock, ...options })
  return { ...bench({ clock, tasks: { store } }), store, again: () => bench({ clock, tasks: { store } }) }
}

const unknown = { code: -32602, message: 'Task not found' }

describe('a call that runs as a task (https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks)', () => {
  it('returns the task immediately, and makes the result available when the task has ended', async () => {
    const { client, gate: held } = await started(bench())
    const task = await create(client, { name: 'slow', task: { ttl: 60_000 } })
    expect(task).toEqual({
      taskId: expect.stringMatching(/^[\w-]{22}$/) as string,
      status: 'working',
      createdAt: '1970-01-01T00:16:40.000Z',
      lastUpdatedAt: '1970-01-01T00:16:40.000Z',
      ttl: 60_000,
      pollInterval: 1_000,
    })
    const { taskId } = task
    expect((await client.request('tasks/get', { taskId })).result).toEqual(task)
    const waiting = outcome(client, taskId)
    held.resolve(undefined)
    const meta = { [RELATED_TASK]: { taskId } }
    expect((await waiting).result).toEqual({
      content: [{ type: 'text', text: 'It rains in Rome' }],
      _meta: meta,
    })
    expect(await status(client, String(taskId))).toBe('completed')
    expect((await outcome(client, taskId)).result?.['_meta']).toEqual(meta)
  })

  it('keeps the structured value and the _meta of the result', async () => {
    const { server, add } = bench()
    add('both', () => result({ structured: { high: 3 }, _meta: { 'example.com/a': 1 } }), {
      outputSchema: z.object({ high: z.number() }),
    })
    const client = await openAnsweringClient(server)
    const taskId = await idOf(client, { name: 'both' })
    expect((await outcome(client, taskId)).result).toEqual({
      content: [{ type: 'text', text: '{"high":3}' }],
      structuredContent: { high: 3 },
      _meta: { 'example.com/a': 1, [RELATED_TASK]: { taskId } },
    })
  })

  it('sends immediateResponse as text for the model in its first response', async () => {
    const { server, add } = bench()
    add('hint', () => 'done', { immediateResponse: 'It takes a while' })
    const client = await openAnsweringClient(server)
    const { result: created } = await client.request('tools/call', { name: 'hint', task: {} })
    expect(created?.['_meta']).toEqual({
      'io.modelcontextprotocol/model-immediate-response': 'It takes a while',
    })
  })

  it('can run longer than other calls may', async () => {
    const { client, clock, signals } = await started(bench())
    const taskId = await idOf(client, { name: 'slow', task: { ttl: 3_000_000 } })
    await clock.advance(2_999_000)
    expect(await status(client, taskId)).toBe('working')
    const waiting = outcome(client, taskId)
    await settled()
    await clock.advance(1_000)
    expect(signals[0]?.aborted).toBe(true)
    expect((await waiting).error).toEqual(unknown)
    expect((await client.request('tasks/get', { taskId })).error).toEqual(unknown)
  })

  it("ends with a tool error when it reaches the tool's time limit", async () => {
    const { server, clock, add } = bench()
    add('hangs', () => new Promise(() => {}), { timeoutMs: 5_000 })
    const client = await openAnsweringClient(server)
    const taskId = await idOf(client, { name: 'hangs' })
    await clock.advance(5_000)
    expect(await status(client, taskId)).toBe('failed')
    expect((await outcome(client, taskId)).result?.['isError']).toBe(true)
  })

  it.each([
    [undefined, 3_600_000],
    [null, 86_400_000],
    [1e300, 86_400_000],
    [0, 1_000],
    [2_500.7, 2_500],
  ])('with a requested ttl of %j ms, keeps the task for %d ms', async (ttl, kept) => {
    const { client } = await started(bench())
    expect(await create(client, { name: 'slow', task: { ttl } })).toMatchObject({ ttl: kept })
  })

  it.each([['x'], [null], [[]], [{ ttl: -1 }], [{ ttl: '5' }]])(
    'is rejected if `task` is %j',
    async (task) => {
      const { client } = await started(bench())
      const { error } = await client.request('tools/call', { name: 'slow', task })
      expect(error?.code).toBe(-32602)
    },
  )

  it('runs inside the tools/call middleware, which sees the final result', async () => {
    const { server, gate: held } = bench()
    const seen: unknown[] = []
    server.use('tools/call', async (ctx, next) => {
      seen.push(ctx.task?.id)
      const given = await next()
      seen.push(given.content)
      return given
    })
    const client = await openAnsweringClient(server)
    const taskId = await idOf(client, { name: 'slow' })
    held.resolve(undefined)
    await outcome(client, taskId)
    expect(seen).toEqual([taskId, [{ type: 'text', text: 'It rains in Rome' }]])
  })

  it('cannot be cancelled by notifications/cancelled', async () => {
    const { client, gate: held, signals } = await started(bench())
    const taskId = await idOf(client, { name: 'slow' })
    client.notify('notifications/cancelled', { requestId: 2 })
    await client.request('ping')
    expect(signals[0]?.aborted).toBe(false)
    held.resolve(undefined)
    expect((await outcome(client, taskId)).result?.['isError']).toBeUndefined()
  })
})

describe("a tool's task support (https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#tool-level-negotiation)", () => {
  const withRequired = (options: Options = {}) => {
    const made = bench(options)
    made.server.addTool({
      name: 'must',
      taskSupport: 'required',
      handler: (_args, ctx) => String(ctx.task !== undefined),
    })
    made.server.addTool({ name: 'never', taskSupport: 'forbidden', handler: () => 'never' })
    return made
  }

  it('is published in tools/list and declared as a capability', async () => {
    const { client, server } = await started(withRequired())
    const { result: listed } = await client.request('tools/list')
    const tools = listed?.['tools'] as { name: string; execution?: object }[]
    expect(tools.map(({ name, execution }) => [name, execution])).toEqual([
      ['slow', { taskSupport: 'optional' }],
      ['plain', undefined],
      ['must', { taskSupport: 'required' }],
      ['never', { taskSupport: 'forbidden' }],
    ])
    expect(server.runtime.capabilities(server.runtime.revisions[0]!).tasks).toEqual({
      list: {},
      cancel: {},
      requests: { tools: { call: {} } },
    })
  })

  it('is enforced with -32601 if the tool requires or forbids tasks', async () => {
    const { client } = await started(withRequired())
    for (const params of [{ name: 'plain', task: {} }, { name: 'never', task: {} }, { name: 'must' }])
      expect((await client.request('tools/call', params)).error?.code, params.name).toBe(-32601)
    const taskId = await idOf(client, { name: 'must' })
    expect(await resultOf(client, taskId)).toBe('true')
  })

  it('has no effect in a revision without tasks', async () => {
    const { client } = await started(withRequired(), { version: '2025-06-18' })
    const call = async (params: object): Promise<unknown> =>
      (await client.request('tools/call', params)).result?.['content']
    expect(await call({ name: 'must', task: {} })).toEqual([{ type: 'text', text: 'false' }])
    expect(await call({ name: 'plain', task: {} })).toEqual([{ type: 'text', text: 'plain' }])
    const { result: listed } = await client.request('tools/list')
    expect(JSON.stringify(listed)).not.toContain('execution')
    expect((await client.request('tasks/list')).error?.code).toBe(-32601)
  })

  it('adds no capability and no task methods if no tool supports tasks', async () => {
    const server = new McpServer({ name: 'none', version: '1' })
    server.addTool({ name: 'plain', handler: () => 'plain' })
    const client = await openAnsweringClient(server)
    expect(
      (await client.request('tools/call', { name: 'plain', task: {} })).result?.['content'],
    ).toBeDefined()
    for (const method of ['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel'])
      expect((await client.request(method, { taskId: 'a' })).error?.code, method).toBe(-32601)
    expect(server.runtime.capabilities(server.runtime.revisions[0]!).tasks).toBeUndefined()
  })

  it('has no effect for clients that cannot be identified', async () => {
    const { server } = withRequired()
    const message = request('tools/call', { name: 'must', task: {} })
    expect(JSON.parse((await server.handleMessage(message)) ?? '')).toMatchObject({
      result: { content: [{ text: 'false' }] },
    })
    expect(await server.handleMessage(initialize())).not.toContain('"tasks":')
    expect(await server.handleMessage(initialize(), { auth: { principal: 'ann' } })).toContain('"tasks":')
  })

  it('does not reveal a tool that is hidden from the caller', async () => {
    const { server } = bench()
    server.addTool({ name: 'hidden', taskSupport: 'required', visible: () => false, handler: () => 'x' })
    const client = await openAnsweringClient(server)
    const hidden = await client.request('tools/call', { name: 'hidden', task: {} })
    expect(hidden.error).toEqual({ code: -32602, message: 'Unknown tool: hidden' })
  })

  it.each([
    [{ taskSupport: 'sometimes' }],
    [{ immediateResponse: 'soon' }],
    [{ taskSupport: 'forbidden', immediateResponse: 'soon' }],
    [{ taskSupport: 'optional', immediateResponse: 5 }],
  ])('is validated when the tool is added: %j', (fields) => {
    const { server } = bench()
    expect(() => server.addTool({ name: 'bad', handler: () => 'x', ...(fields as object) })).toThrow(
      'ERR_MCP_INVALID_DEFINITION',
    )
  })
})

describe("a task's result (https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#task-execution-errors)", () => {
  const failing = () => {
    const made = bench()
    const { server } = made
    const taskSupport = 'optional'
    const thrown = {
      tells: new ToolError('Out of paper'),
      leaks: new Error('secret'),
      protocol: new McpError(-32042, 'No', { a: 1 }),
    }
    for (const [name, error] of Object.entries(thrown))
      server.addTool({ name, taskSupport, handler: () => Promise.reject(error) })
    server.addTool({ name: 'vast', taskSupport, maxResultBytes: 1024, handler: () => 'x'.repeat(2_000) })
    return made
  }

  it.each([
    ['tells', {}, /^Out of paper$/],
    ['leaks', {}, /^The tool failed \(reference .{12}\)$/],
    ['vast', {}, /bytes, more than the 1024/],
    ['slow', { arguments: { city: 5 } }, /^Invalid arguments/],
  ])('is a tool error if the tool "%s" fails', async (name, params, text) => {
    const { client } = await started(failing())
    const taskId = await idOf(client, { name, ...params })
    const { result: ended } = await outcome(client, taskId)
    expect(ended).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(text) as string }] })
    expect((await client.request('tasks/get', { taskId })).result).toMatchObject({
      status: 'failed',
      statusMessage: expect.stringMatching(text) as string,
    })
  })

  it('is a protocol error if the call fails with a protocol error', async () => {
    const { client } = await started(failing())
    const taskId = await idOf(client, { name: 'protocol' })
    const { error } = await outcome(client, taskId)
    expect(error).toEqual({ code: -32042, message: 'No', data: { a: 1 } })
    expect(await status(client, taskId)).toBe('failed')
  })
})

describe('tasks/cancel (https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#task-cancellation)', () => {
  it('aborts the handler, ends pending tasks/result requests, and discards a late result', async () => {
    const { client, gate: held, signals } = await started(bench())
    const taskId = await idOf(client, { name: 'slow' })
    await settled()
    const waiting = outcome(client, taskId)
    const { result: cancelled } = await client.request('tasks/cancel', { taskId })
    expect(cancelled).toMatchObject({ taskId, status: 'cancelled', statusMessage: 'The task was cancelled' })
    expect(cancelled?.['_meta']).toBeUndefined()
    expect(signals[0]?.aborted).toBe(true)
    expect((await waiting).error).toEqual({ code: -32600, message: 'The task was cancelled' })
    held.resolve(undefined)
    await settled()
    expect(await status(client, taskId)).toBe('cancelled')
  })

  it.each(['completed', 'failed', 'cancelled'])(
    'returns an error and changes nothing if the task is already %s',
    async (ended) => {
      const { server, gate: held, add } = bench()
      add('fails', () => {
        throw new ToolError('no')
      })
      const client = await openAnsweringClient(server)
      const taskId = await idOf(client, { name: ended === 'failed' ? 'fails' : 'slow' })
      if (ended === 'cancelled') await client.request('tasks/cancel', { taskId })
      held.resolve(undefined)
      await outcome(client, taskId)
      const before = await client.request('tasks/get', { taskId })
      expect(before.result?.['status']).toBe(ended)
      expect((await client.request('tasks/cancel', { taskId })).error).toEqual({
        code: -32602,
        message: `Cannot cancel the task: its status is already "${ended}"`,
      })
      expect((await client.request('tasks/get', { taskId })).result).toEqual(before.result)
    },
  )
})

describe('questions from a task (https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#input-required-status)', () => {
  const FORM = z.object({ ok: z.boolean() })
  const asking = (options: Options = {}) => {
    const made = bench(options)
    made.add('asks', async (_args, ctx) => {
      const { ok } = await ctx.elicit('Go on?', FORM)
      await made.gate.promise
      return ok ? 'went on' : 'stopped'
    })
    made.server.addTool({
      name: 'declares',
      taskSupport: 'optional',
      asks: { it: () => elicit('Sure?', FORM) },
      handler: (_args, ctx) => String(ctx.answers.it.ok),
    })
    return made
  }

  it('wait until the client sends tasks/result, and are then sent on the stream of that request', async () => {
    const { client, gate: held } = await started(asking(), { answer: () => accept({ ok: true }) })
    const taskId = await idOf(client, { name: 'asks' })
    await settled()
    expect(await status(client, taskId)).toBe('input_required')
    expect(client.asked).toEqual([])
    const waiting = outcome(client, taskId)
    await client.hasAsked(1)
    expect(client.asked[0]).toMatchObject({
      method: 'elicitation/create',
      params: { message: 'Go on?', _meta: { [RELATED_TASK]: { taskId } } },
    })
    await settled()
    expect(await status(client, taskId)).toBe('working')
    held.resolve(undefined)
    expect((await waiting).result).toMatchObject({ content: [{ text: 'went on' }] })
    expect(client.notifications.map(({ params }) => params?.['status'])).toEqual([
      'input_required',
      'working',
      'completed',
    ])
  })

  it('can be declared with `asks`', async () => {
    const { client } = await started(asking(), { answer: () => accept({ ok: true }) })
    const taskId = await idOf(client, { name: 'declares' })
    expect(await resultOf(client, taskId)).toBe('true')
  })

  it('are sent again on a second tasks/result request, and the first answer cancels the duplicate', async () => {
    const { client, gate: held } = await started(asking())
    const taskId = await idOf(client, { name: 'asks' })
    void outcome(client, taskId)
    await client.hasAsked(1)
    const again = outcome(client, taskId)
    await client.hasAsked(2)
    const [first, second] = client.asked
    client.send({ id: second?.id, result: accept({ ok: false }) })
    held.resolve(undefined)
    expect((await again).result).toMatchObject({ content: [{ text: 'stopped' }] })
    expect(client.notifications.filter(({ method }) => method === 'notifications/cancelled')).toMatchObject([
      { params: { requestId: first?.id, _meta: { [RELATED_TASK]: { taskId } } } },
    ])
  })

  it('stay open if the tasks/result request is cancelled', async () => {
    const { client, gate: held } = await started(asking())
    const taskId = await idOf(client, { name: 'asks' })
    void outcome(client, taskId)
    await client.hasAsked(1)
    client.notify('notifications/cancelled', { requestId: 3 })
    await settled()
    expect(await status(client, taskId)).toBe('input_required')
    const again = outcome(client, taskId)
    await client.hasAsked(2)
    client.send({ id: client.asked[1]?.id, result: accept({ ok: true }) })
    held.resolve(undefined)
    expect((await again).result).toMatchObject({ content: [{ text: 'went on' }] })
  })

  it('make the call fail if the user declines, and are cancelled together with the task', async () => {
    const { server } = asking()
    const declining = await openAnsweringClient(server, { answer: () => ({ action: 'decline' }) })
    const declined = await idOf(declining, { name: 'asks' })
    expect((await declining.request('tasks/result', { taskId: declined })).result).toMatchObject({
      isError: true,
      content: [{ text: 'The user declined: Go on?' }],
    })
    const mute = await openAnsweringClient(server)
    const taskId = await idOf(mute, { name: 'asks' })
    const waiting = mute.request('tasks/result', { taskId })
    await mute.hasAsked(1)
    await mute.request('tasks/cancel', { taskId })
    expect((await waiting).error?.code).toBe(-32600)
    expect(mute.notifications.map(({ method }) => method)).toContain('notifications/cancelled')
  })

  it("do not count towards the handler's time limit", async () => {
    const { server, clock, gate: held, add } = asking()
    add('brief', async (_args, ctx) => String((await ctx.elicit('Go on?', FORM)).ok), { timeoutMs: 1_000 })
    const client = await openAnsweringClient(server, { answer: () => accept({ ok: true }) })
    const taskId = await idOf(client, { name: 'brief' })
    await clock.advance(60_000)
    held.resolve(undefined)
    expect(await resultOf(client, taskId)).toBe('true')
  })
})

describe('notifications from a task', () => {
  it('name the task in their metadata, whether they report progress, a log message or the status', async () => {
    const { server, gate: held, add } = bench()
    add('reports', async (_args, ctx) => {
      await ctx.progress(1, 2, 'Half of it')
      ctx.log.info('on it')
      await held.promise
      return content.text('all of it')
    })
    const client = await openAnsweringClient(server)
    const taskId = await idOf(client, { name: 'reports', _meta: { progressToken: 0 } })
    await settled()
    const { result: half } = await client.request('tasks/get', { taskId })
    expect(half).toMatchObject({ status: 'working', statusMessage: 'Half of it' })
    held.resolve(undefined)
    await outcome(client, taskId)
    const _meta = { [RELATED_TASK]: { taskId } }
    expect(client.notifications.map(({ method, params }) => ({ method, params }))).toEqual([
      {
        method: 'notifications/progress',
        params: { progressToken: 0, progress: 1, total: 2, message: 'Half of it', _meta },
      },
      { method: 'notifications/message', params: { level: 'info', data: 'on it', _meta } },
      {
        method: 'notifications/tasks/status',
        params: (await client.request('tasks/get', { taskId })).result,
      },
    ])
  })
})

describe("a task's owner (https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#task-isolation-and-access-control)", () => {
  const METHODS = ['tasks/get', 'tasks/result', 'tasks/cancel']
  const as = (principal: string): { auth: { principal: string } } => ({ auth: { principal } })
  const errors = async (client: AnsweringClient, taskId: unknown): Promise<unknown[]> =>
    Promise.all(METHODS.map(async (method) => (await client.request(method, { taskId })).error))
  const listed = async (client: AnsweringClient): Promise<unknown[]> =>
    idsOf((await client.request('tasks/list')).result)

  it('is the session if the client is anonymous, so other sessions cannot see the task', async () => {
    const { server } = bench()
    const [own, other] = [await openAnsweringClient(server), await openAnsweringClient(server)]
    const taskId = await idOf(own, { name: 'slow' })
    expect(await errors(other, taskId)).toEqual([unknown, unknown, unknown])
    for (const never of ['never', '', '__proto__', 5, undefined])
      expect(await errors(own, never)).toEqual([unknown, unknown, unknown])
    expect(await listed(own)).toEqual([taskId])
    expect(await listed(other)).toEqual([])
    expect(await status(own, taskId)).toBe('working')
  })

  it("is the caller's principal, in every session", async () => {
    const { server, gate: held } = bench()
    const ann = await openAnsweringClient(server, as('ann'))
    const taskId = await idOf(ann, { name: 'slow' })
    const bob = await openAnsweringClient(server, as('bob'))
    expect(await errors(bob, taskId)).toEqual([unknown, unknown, unknown])
    const again = await openAnsweringClient(server, as('ann'))
    expect(await listed(again)).toEqual([taskId])
    held.resolve(undefined)
    expect((await again.request('tasks/result', { taskId })).result?.['content']).toBeDefined()
  })

  it("can answer the task's questions in a second session after the first one has ended", async () => {
    const { server, add } = bench()
    add('asks', async (_args, ctx) => String((await ctx.elicit('Go on?', z.object({ ok: z.boolean() }))).ok))
    const first = await openAnsweringClient(server, { ...as('ann'), endGraceMs: 1 })
    const taskId = await idOf(first, { name: 'asks' })
    void first.request('tasks/result', { taskId })
    await first.hasAsked(1)
    await first.close()
    const second = await openAnsweringClient(server, { ...as('ann'), answer: () => accept({ ok: true }) })
    expect(await resultOf(second, taskId)).toBe('true')
  })

  it('loses the task when its session ends if no other session can reach the task', async () => {
    const { client, signals, clock, store } = await started(stored(), { endGraceMs: 1_000 })
    await idOf(client, { name: 'slow' })
    await settled()
    await client.close()
    await settled()
    expect(signals[0]?.aborted).toBe(false)
    await clock.advance(1_000)
    expect(signals[0]?.aborted).toBe(true)
    expect(store.size).toBe(0)
  })
})

describe('the end of a session', () => {
  it('deletes all tasks of the session, even if the task store returns small pages', async () => {
    const clock = new FakeClock()
    const inner = new MemoryTaskStore({ clock })
    const store: TaskStore = {
      create: (record) => inner.create(record),
      get: (key) => inner.get(key),
      update: (key, change) => inner.update(key, change),
      list: (owner, page) => inner.list(owner, { ...page, limit: 2 }),
      delete: (key) => inner.delete(key),
    }
    const { client } = await started(bench({ clock, tasks: { store } }), { endGraceMs: 1_000 })
    for (let i = 0; i < 5; i++) await idOf(client, { name: 'slow' })
    await client.close()
    await settled()
    await clock.advance(1_000)
    await settled()
    expect(inner.size).toBe(0)
  })
})

describe('a session that ends while one of its tasks is being stored', () => {
  it('deletes the task, and does not run the handler', async () => {
    const clock = new FakeClock()
    const inner = new MemoryTaskStore({ clock })
    const created = deferred()
    const store: TaskStore = {
      create: async (record) => {
        await created.promise
        return inner.create(record)
      },
      get: (key) => inner.get(key),
      update: (key, change) => inner.update(key, change),
      list: (owner, page) => inner.list(owner, page),
      delete: (key) => inner.delete(key),
    }
    const { client, signals } = await started(bench({ clock, tasks: { store } }), { endGraceMs: 1_000 })
    void client.request('tools/call', { name: 'slow', task: {} })
    await settled()
    await client.close()
    await settled()
    await clock.advance(1_000)
    created.resolve()
    await settled()
    expect(signals).toEqual([])
    expect(inner.size).toBe(0)
  })
})

describe('the task list (https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#task-listing)', () => {
  it('is split into pages, and a cursor remains valid even after the task it points to has expired', async () => {
    const { client, clock } = await started(bench({ limits: { pageSize: 2 } }))
    const ids: string[] = []
    for (let ttl = 10_000; ttl <= 50_000; ttl += 10_000) {
      ids.push(await idOf(client, { name: 'slow', task: { ttl } }))
      await clock.advance(1)
    }
    const page = async (cursor?: unknown): Promise<Message['result']> =>
      (await client.request('tasks/list', cursor === undefined ? {} : { cursor })).result
    const first = await page()
    expect(idsOf(first)).toEqual(ids.slice(0, 2))
    await clock.advance(20_000)
    const second = await page(first?.['nextCursor'])
    expect(idsOf(second)).toEqual(ids.slice(2, 4))
    const last = await page(second?.['nextCursor'])
    expect(idsOf(last)).toEqual(ids.slice(4))
    expect(last).not.toHaveProperty('nextCursor')
  })

  it.each([[''], ['x'], [5], [null], ['dG9vbHM6YQ'], ['dGFza3M6YTpi']])(
    'rejects the cursor %j',
    async (cursor) => {
      const { client } = await started(bench())
      expect((await client.request('tasks/list', { cursor })).error).toEqual({
        code: -32602,
        message: 'Invalid cursor',
      })
    },
  )
})

describe('the task limits', () => {
  it('restrict the number of running tasks for each owner', async () => {
    const { client, server } = await started(bench({ limits: { running: 2 } }))
    const first = await idOf(client, { name: 'slow' })
    await idOf(client, { name: 'slow' })
    const { error } = await client.request('tools/call', { name: 'slow', task: {} })
    expect(error).toEqual({
      code: -32603,
      message: 'Too many tasks are running: wait until one has ended',
    })
    const other = await openAnsweringClient(server)
    await idOf(other, { name: 'slow' })
    await client.request('tasks/cancel', { taskId: first })
    await settled()
    await idOf(client, { name: 'slow' })
  })

  it('reserve capacity for principals, no matter how many sessions anonymous clients open', async () => {
    const limits = { running: 10, anonymous: { running: 15, inFlight: 20 } }
    const { server } = bench({ limits })
    const sessions = [await openAnsweringClient(server), await openAnsweringClient(server)]
    const errors: unknown[] = []
    for (const client of sessions)
      for (let i = 0; i < 10; i++)
        errors.push((await client.request('tools/call', { name: 'slow', task: {} })).error?.code)
    expect(errors.filter((code) => code === -32603)).toHaveLength(5)
    const ann = await openAnsweringClient(server, { auth: { principal: 'ann' } })
    await idOf(ann, { name: 'slow' })
    const [first] = sessions
    const [running] = idsOf((await first?.request('tasks/list'))?.result)
    await first?.request('tasks/cancel', { taskId: running })
    await settled()
    await idOf(sessions[1] as AnsweringClient, { name: 'slow' })
  })

  it('prevent a task from starting if the store is full', async () => {
    const { client, signals } = await started(stored({ max: 1 }))
    await idOf(client, { name: 'slow' })
    expect((await client.request('tools/call', { name: 'slow', task: {} })).error?.code).toBe(-32603)
    await settled()
    expect(signals).toHaveLength(1)
  })

  it('make a task fail if its result does not fit into the store', async () => {
    const { client, gate: held } = await started(stored({ maxBytes: 2_000 }))
    const taskId = await idOf(client, { name: 'slow' })
    held.resolve('x'.repeat(3_000))
    expect((await outcome(client, taskId)).error).toEqual({
      code: -32603,
      message: 'The result of the task could not be stored',
    })
    expect(await status(client, taskId)).toBe('failed')
  })

  it.each([
    [{ maxTtlMs: 0 }],
    [{ defaultTtlMs: Number.NaN }],
    [{ defaultTtlMs: 10, maxTtlMs: 5 }],
    [{ pollIntervalMs: -1 }],
  ])('are rejected if they are invalid: %j', (tasks) => {
    expect(() => bench({ tasks })).toThrow('ERR_MCP_OPTION')
  })
})

describe('tasks on several nodes', () => {
  const nodes = async () => {
    const here = stored()
    const there = here.again()
    const auth = { principal: 'ann' }
    const near = await openAnsweringClient(here.server, { auth })
    return { ...here, near, far: await openAnsweringClient(there.server, { auth }) }
  }

  it('can be read on a node that does not run them', async () => {
    const { near, far, clock, gate: held } = await nodes()
    const taskId = await idOf(near, { name: 'slow' })
    const waiting = outcome(far, taskId)
    await clock.advance(3_000)
    held.resolve(undefined)
    await settled()
    await clock.advance(1_000)
    expect((await waiting).result).toMatchObject({ content: [{ text: 'It rains in Rome' }] })
  })

  it('end at the handler’s next notification after another node has cancelled them', async () => {
    const { near, far, gate: held, add } = await nodes()
    let signal: AbortSignal | undefined
    add('talks', async (_args, ctx) => {
      signal = ctx.signal
      await held.promise
      await ctx.progress(1, 2, 'Still there')
      await new Promise(() => {})
    })
    const taskId = await idOf(near, { name: 'talks' })
    expect((await far.request('tasks/cancel', { taskId })).result?.['status']).toBe('cancelled')
    held.resolve(undefined)
    await settled()
    expect(signal?.aborted).toBe(true)
    expect(await status(near, taskId)).toBe('cancelled')
  })
})

describe('server.close', () => {
  it("waits for principals' tasks until the deadline", async () => {
    const {
      client,
      server,
      gate: held,
      clock,
      store,
    } = await started(stored(), { auth: { principal: 'ann' } })
    const taskId = await idOf(client, { name: 'slow' })
    const closed = server.close({ deadline: 5_000 })
    await clock.advance(4_000)
    held.resolve(undefined)
    await closed
    const record = store.get({ owner: 'principal:ann', taskId })
    expect(record?.status).toBe('completed')
  })

  it('marks the remaining tasks as failed at the deadline', async () => {
    const { client, server, signals, clock, store } = await started(stored(), { auth: { principal: 'ann' } })
    const taskId = await idOf(client, { name: 'slow' })
    const closed = server.close({ deadline: 5_000 })
    await clock.advance(5_000)
    await closed
    expect(signals[0]?.aborted).toBe(true)
    expect(store.get({ owner: 'principal:ann', taskId })).toMatchObject({
      status: 'failed',
      error: { code: -32603, message: 'The server ended the call' },
    })
    expect(clock.pending).toBe(0)
  })
})

describe('a task store', () => {
  it('is not called while there are no tasks', async () => {
    const refuse = (): never => {
      throw new Error('asked')
    }
    const store: TaskStore = { create: refuse, get: refuse, update: refuse, list: refuse, delete: refuse }
    const { client } = await started(bench({ tasks: { store } }))
    expect((await client.request('tools/call', { name: 'plain' })).result?.['content']).toBeDefined()
    await client.close()
  })

  it('receives updates in order, even if it is slow', async () => {
    const clock = new FakeClock()
    const inner = new MemoryTaskStore({ clock })
    const written: unknown[] = []
    const slow = async <T>(act: () => T): Promise<T> => {
      await settled()
      return act()
    }
    const store: TaskStore = {
      create: (record) => slow(() => inner.create(record)),
      get: (key) => slow(() => inner.get(key)),
      update: (key, change) =>
        slow((): TaskRecord | undefined => {
          written.push(change.status)
          return inner.update(key, change)
        }),
      list: (owner, page) => slow(() => inner.list(owner, page)),
      delete: (key) => slow(() => inner.delete(key)),
    }
    const { server, add } = bench({ clock, tasks: { store } })
    add('asks', async (_args, ctx) => {
      await ctx.elicit('1', z.object({}))
      await ctx.elicit('2', z.object({}))
      return 'done'
    })
    const client = await openAnsweringClient(server, { answer: () => accept({}) })
    const taskId = await idOf(client, { name: 'asks' })
    expect(await resultOf(client, taskId)).toBe('done')
    expect(written.at(-1)).toBe('completed')
    expect(await status(client, taskId)).toBe('completed')
  })
})
