import { settled } from '@jetway-apps/test-support'
import { asks, elicit, McpServer, tasks } from '@jetway/core'
import type { JsonObject } from '@jetway/core/protocol'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { ClientOptions } from '../../src/options/options.ts'
import { Method } from '../support/dates.ts'
import { modern, scripted, sessions, timed } from '../support/scripted.ts'
import { connectTo } from '../support/servers.ts'

function archive(): McpServer {
  const server = new McpServer(
    { name: 'archive', version: '1.0.0' },
    { extensions: [tasks()], tasks: { pollIntervalMs: 100 } },
  )
  server.addTool({
    name: 'dig',
    taskSupport: 'optional',
    inputSchema: z.object({ depth: z.number() }),
    handler: async ({ depth }, ctx) => {
      await ctx.progress(1)
      return `dug ${depth}`
    },
  })
  server.addTool({
    name: 'ask',
    taskSupport: 'optional',
    handler: async (_, ctx) => {
      const { where } = await ctx.elicit('Where?', z.object({ where: z.string() }))
      return `there: ${where}`
    },
  })
  server.addTool({
    name: 'wait',
    taskSupport: 'optional',
    handler: (_, ctx) =>
      new Promise<string>((resolve) => {
        ctx.signal.addEventListener('abort', () => resolve('stopped'))
      }),
  })
  server.addTool({
    name: 'asked',
    inputSchema: z.object({}),
    asks: asks(z.object({})).ask('sure', () => elicit('Sure?', z.object({ yes: z.boolean() }))),
    handler: (_, { answers }) => String(answers.sure.yes),
  })
  return server
}

const KINDS = [
  ['that the client requests', { revisions: ['2025-11-25'] }],
  ['that the server creates', { revisions: ['2026-07-28'], tasks: true }],
] as const satisfies readonly (readonly [string, ClientOptions])[]

describe.each(KINDS)('a task %s', (_, options) => {
  const HANDLERS: ClientOptions = {
    handlers: { elicit: () => ({ action: 'accept', content: { where: 'left' } }) },
  }

  it('is started, polled and awaited', async () => {
    const client = await connectTo(archive(), { ...options, ...HANDLERS })
    const task = await client.startTask('dig', { depth: 3 })
    expect(task.taskId).not.toBe('')
    expect(await task.get()).toMatchObject({ taskId: task.taskId, status: expect.any(String) })
    expect(await task.result()).toMatchObject({ content: [{ text: 'dug 3' }] })
    expect(await client.task(task.taskId).get()).toMatchObject({ status: 'completed' })
  })

  it('receives the answers to its input requests', async () => {
    const client = await connectTo(archive(), { ...options, ...HANDLERS })
    const task = await client.startTask('ask')
    expect(await task.result()).toMatchObject({ content: [{ text: 'there: left' }] })
  })

  it('is cancelled by cancel(), but not by aborting result()', async () => {
    const client = await connectTo(archive(), { ...options, ...HANDLERS })
    const task = await client.startTask('wait')
    const controller = new AbortController()
    const waiting = task.result({ signal: controller.signal })
    controller.abort(new Error('Enough'))
    await expect(waiting).rejects.toThrow('Enough')
    expect(await task.get()).toMatchObject({ status: 'working' })
    await task.cancel()
    await vi.waitFor(async () => expect(await task.get()).toMatchObject({ status: 'cancelled' }))
  })
})

describe('a tool that requires a task', () => {
  const required = (): McpServer => {
    const server = archive()
    server.addTool({ name: 'bury', taskSupport: 'required', handler: () => 'buried' })
    return server
  }

  it.each([
    ['with sessions', { revisions: ['2025-11-25'] }],
    ['without sessions', { revisions: ['2026-07-28'] }],
  ] as const)('is called as a task in a revision %s, even if it has not been listed', async (_, options) => {
    for (const listed of [true, false]) {
      const client = await connectTo(required(), options)
      if (listed) await client.listTools()
      for (let i = 0; i < 2; i++)
        expect(await client.callTool('bury')).toMatchObject({ content: [{ text: 'buried' }] })
    }
  })

  it('is called only once if the server does not know the tool', async () => {
    const { client, server } = await scripted({
      ...sessions(),
      [Method.Initialize]: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {}, tasks: { requests: { tools: { call: {} } } } },
        serverInfo: { name: 's', version: '1' },
      },
      [Method.ListTools]: { tools: [] },
      [Method.CallTool]: { error: { code: -32601, message: 'No such tool' } },
    })
    await expect(client.callTool('x')).rejects.toMatchObject({ code: -32601, message: 'No such tool' })
    expect(server.of(Method.CallTool)).toHaveLength(1)
  })

  it('is cancelled if the call is aborted', async () => {
    const task = { taskId: 't', ttl: 1, pollInterval: 100, status: 'working' }
    const { client, server } = await scripted({
      ...sessions(),
      [Method.CallTool]: { task },
      'tasks/get': task,
      'tasks/cancel': { ...task, status: 'cancelled' },
    })
    const controller = new AbortController()
    const call = client.callTool('x', {}, { signal: controller.signal })
    await server.hears('tasks/get')
    controller.abort(new Error('Enough'))
    await expect(call).rejects.toThrow('Enough')
    expect(await server.hears('tasks/cancel')).toMatchObject({ params: { taskId: 't' } })
  })
})

it('a task that fails is not cancelled', async () => {
  const task = { taskId: 't', ttl: 1, pollInterval: 100, status: 'working' }
  const { client, server } = await scripted({
    ...sessions(),
    [Method.CallTool]: { task },
    'tasks/get': { error: { code: -32603, message: 'It broke' } },
  })
  const { signal } = new AbortController()
  await expect(client.callTool('x', {}, { signal })).rejects.toThrow('It broke')
  await settled()
  expect(server.of('tasks/cancel')).toEqual([])
})

describe('a call that the server converts to a task', () => {
  it('returns the result of the task', async () => {
    const client = await connectTo(archive(), { revisions: ['2026-07-28'], tasks: true })
    expect(await client.callTool('dig', { depth: 1 })).toMatchObject({ content: [{ text: 'dug 1' }] })
  })

  it('runs normally for a client that has not declared tasks', async () => {
    const client = await connectTo(archive(), { revisions: ['2026-07-28'] })
    const task = await client.startTask('dig', { depth: 1 })
    expect(await task.get()).toMatchObject({ status: 'completed' })
    expect(await task.result()).toMatchObject({ content: [{ text: 'dug 1' }] })
  })

  const error = { code: -32603, message: 'It broke' }
  it.each([
    ['the error of the task', { status: 'failed', error }, error],
    ['a named error if the task was cancelled', { status: 'cancelled', error }, { code: 'cancelled' }],
    ...[
      { status: 'failed' },
      { status: 'failed', error: { ...error, code: 'broken' } },
      { status: 'completed', result: 'text' },
    ].map((end) => ['a named error', end, { code: 'invalid-response' }] as const),
  ] as const)('rejects with %s: %j', async (_, end, expected) => {
    const task = { taskId: 't', ttlMs: 1, pollIntervalMs: 100 }
    const { client } = await scripted(
      {
        ...modern(),
        [Method.CallTool]: { resultType: 'task', ...task, status: 'working' },
        // If the script returned an object with an `error`, it would be sent as a JSON-RPC error.
        'tasks/get': ({ id }, server) => server.answer(id, { resultType: 'complete', ...task, ...end }),
      },
      { tasks: true },
    )
    await expect(client.callTool('x')).rejects.toMatchObject(expected)
  })
})

it.each([
  ['no interval', undefined, 1_000],
  ['an invalid interval', 'soon', 1_000],
  ['a short interval', 1, 100],
  ['an interval', 5_000, 5_000],
  ['a long interval', 1e9, 60_000],
])('a task with %s (%j) is polled every %i ms', async (_, pollIntervalMs, ms) => {
  const task = { taskId: 't', ttlMs: 1, pollIntervalMs, status: 'working' }
  const { client, server, clock } = await timed(
    {
      ...modern(),
      [Method.CallTool]: { resultType: 'task', ...task },
      'tasks/get': { resultType: 'complete', ...task },
    },
    { tasks: true },
  )
  const reads = (): number => server.of('tasks/get').length
  client.callTool('x').catch(() => {})
  await server.hears('tasks/get')
  await settled()
  await clock.advance(ms - 1)
  expect(reads()).toBe(1)
  await clock.advance(1)
  expect(reads()).toBe(2)
})

it.each([
  ['a task member', { taskId: 't', status: 'working' }],
  ['a task member without an id', { status: 'working' }],
])('a result with both content and %s is not treated as a task', async (_, task) => {
  const content = [{ type: 'text', text: 'done' }]
  const { client, server } = await scripted({ ...sessions(), [Method.CallTool]: { content, task } })
  expect(await client.callTool('x')).toMatchObject({ content })
  expect(server.of('tasks/get')).toEqual([])
})

it.each([
  ['no id', { status: 'working' }],
  ['an id that is not a string', { taskId: 5, status: 'working' }],
  ['no status', { taskId: 't' }],
  ['an unknown status', { taskId: 't', status: 'asleep' }],
])('a task with %s rejects with invalid-response', async (_, task) => {
  const { client } = await scripted({ ...sessions(), 'tasks/get': task, [Method.CallTool]: { task } })
  await expect(client.task('t').get()).rejects.toMatchObject({ code: 'invalid-response' })
  await expect(client.task('t').result()).rejects.toMatchObject({ code: 'invalid-response' })
})

describe('a task in a session', () => {
  const task = { taskId: 't', status: 'working', pollInterval: 5_000 }
  const serverWith = (declared: unknown): JsonObject => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: {}, tasks: declared },
    serverInfo: {},
  })
  const TASKS = { requests: { tools: { call: {} } } }

  it.each([
    [undefined, {}],
    [0, { ttl: 0 }],
    [5, { ttl: 5 }],
  ])('with ttlMs %j, is requested with %j', async (ttlMs, expected) => {
    const { client, server } = await scripted({ ...sessions(), [Method.CallTool]: { task } })
    expect((await client.startTask('x', { a: 1 }, ttlMs === undefined ? {} : { ttlMs })).taskId).toBe('t')
    expect(server.of(Method.CallTool)).toMatchObject([
      { params: { name: 'x', arguments: { a: 1 }, task: expected } },
    ])
  })

  it('is polled at the interval that the server sets, and its result has no time limit', async () => {
    let status = 'working'
    const { client, server, clock } = await timed({
      ...sessions(),
      [Method.CallTool]: { task },
      'tasks/get': () => ({ ...task, status }),
    })
    const call = client.callTool('x')
    await server.hears('tasks/get')
    await settled()
    await clock.advance(4_999)
    expect(server.of('tasks/get')).toHaveLength(1)
    status = 'input_required'
    await clock.advance(1)
    const { id } = await server.hears('tasks/result')
    await clock.advance(2 ** 31 - 2)
    server.answer(id, { content: [] })
    expect(await call).toEqual({ content: [] })
  })

  it.each([
    ['requests one that the tool requires', TASKS, 'required', [{ task: {} }]],
    ['does not request one that is optional', TASKS, 'optional', [{}]],
    ['does not request one if the server has no tasks', undefined, 'required', [{}]],
    ['does not request one if the server has none for tools', { requests: {} }, 'required', [{}]],
    ['does not request one if the server has none for calls', { requests: { tools: {} } }, 'required', [{}]],
  ])('is created only if necessary: callTool %s', async (_, declared, taskSupport, params) => {
    const { client, server } = await scripted({
      ...sessions(),
      [Method.Initialize]: serverWith(declared),
      [Method.ListTools]: { tools: [{ name: 'x', inputSchema: {}, execution: { taskSupport } }] },
      [Method.CallTool]: { content: [] },
    })
    await client.listTools()
    await client.callTool('x')
    const plain = { name: 'x', arguments: {} }
    expect(server.of(Method.CallTool).map((sent) => sent['params'])).toEqual(
      params.map((more) => ({ ...plain, ...more })),
    )
  })

  it('is requested after a normal call has failed and the tool list shows that tasks are required', async () => {
    const tool = { name: 'x', inputSchema: {}, execution: { taskSupport: 'required' } }
    const { client, server } = await scripted({
      ...sessions(),
      [Method.Initialize]: serverWith(TASKS),
      [Method.ListTools]: { tools: [tool] },
      [Method.CallTool]: { error: { code: -32601, message: 'No' } },
    })
    await expect(client.callTool('x')).rejects.toThrow('No')
    await expect(client.callTool('x')).rejects.toThrow('No')
    await expect(client.startTask('x')).rejects.toThrow('No')
    expect(server.of(Method.ListTools)).toHaveLength(1)
    const asked = server.of(Method.CallTool).map(({ params }) => 'task' in (params as object))
    expect(asked).toEqual([false, true, true, true])
  })
})

it('startTask returns a completed task if the server ran the call immediately', async () => {
  const { client, server } = await scripted({ ...sessions(), [Method.CallTool]: { content: [] } })
  const task = await client.startTask('x')
  expect(task.taskId).toBe('')
  expect(await task.get()).toEqual({ taskId: '', status: 'completed' })
  expect(await task.result()).toEqual({ content: [] })
  await task.cancel()
  expect(server.methods.at(-1)).toBe(Method.CallTool)
})

it.each([
  ['the extension', { extensions: { 'io.modelcontextprotocol/tasks': {} } }, 2],
  ['another extension', { extensions: { 'com.example/other': {} } }, 1],
  ['no extension', {}, 1],
])(
  'a call that is rejected because the server requires %s is sent %j times',
  async (_, requiredCapabilities, times) => {
    const error = { code: -32021, message: 'Declare more', data: { requiredCapabilities } }
    const { client, server } = await scripted({ ...modern(), [Method.CallTool]: { error } })
    await expect(client.callTool('x')).rejects.toThrow('Declare more')
    expect(server.of(Method.CallTool)).toHaveLength(times)
  },
)

it('startTask rejects in a revision without tasks', async () => {
  const client = await connectTo(archive(), { revisions: ['2025-06-18'] })
  await expect(client.startTask('dig', { depth: 1 })).rejects.toMatchObject({ code: 'not-supported' })
})
