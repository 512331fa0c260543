import { requestMeta } from '@jetway-apps/test-support'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import {
  CallToolResultSchema,
  type ElicitResult,
  ElicitRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { transportV1 } from './support/clients.ts'
import { text } from './support/features/feature.ts'
import { serving, type Target, TRANSPORTS } from './support/processes.ts'
import type { Message } from './support/raw-http.ts'
import { RawStdio } from './support/raw-stdio.ts'

const Anything = z.looseObject({})

/** Connects an official client that answers questions. */
async function connect(target: Target): Promise<{ client: Client; asked: unknown[] }> {
  const client = new Client(
    { name: 'tasks', version: '1.0.0' },
    { capabilities: { elicitation: { form: {} } } },
  )
  const asked: unknown[] = []
  client.setRequestHandler(ElicitRequestSchema, ({ params }): ElicitResult => {
    asked.push(params)
    return { action: 'accept', content: { confirm: true } }
  })
  await client.connect(transportV1(target))
  return { client, asked }
}

describe.each(TRANSPORTS)("the official client's tasks over %s", (transport) => {
  const target = serving(transport)
  let connected: Awaited<ReturnType<typeof connect>>

  const call = async (name: string, args: object = {}): Promise<{ seen: unknown[]; end: unknown }> => {
    const { tasks } = connected.client.experimental
    const stream = tasks.callToolStream({ name, arguments: { ...args } }, CallToolResultSchema, {
      task: { ttl: 60_000 },
    })
    const seen: unknown[] = []
    for await (const message of stream) {
      if (message.type === 'result') return { seen, end: message.result }
      if (message.type === 'error') return { seen, end: message.error }
      seen.push(message.task.status)
    }
    throw new Error('The call has no end')
  }
  const create = async (params: object): Promise<string> => {
    const created = await connected.client.request(
      { method: 'tools/call', params: { task: {}, ...params } },
      Anything,
    )
    return (created as unknown as { task: { taskId: string } }).task.taskId
  }

  beforeAll(async () => {
    connected = await connect(target())
  })
  afterAll(() => connected.client.close())

  it("return the tool's result", async () => {
    const { seen, end } = await call('slow_compute', { seconds: 0, label: 'x' })
    expect(seen[0]).toBe('working')
    expect(end).toMatchObject(text('Computed x in 0 s'))
  })

  it('ask the user a question when the client requests the result', async () => {
    await expect(
      connected.client.request({ method: 'tools/call', params: { name: 'confirm_delete' } }, Anything),
    ).rejects.toMatchObject({ code: -32601 })
    const { end } = await call('confirm_delete', { filename: 'a.txt' })
    expect(end).toMatchObject(text('Deleted a.txt'))
    expect(connected.asked).toMatchObject([
      { message: 'Delete a.txt?', _meta: { 'io.modelcontextprotocol/related-task': {} } },
    ])
  })

  it('can be listed and cancelled, and stay cancelled', async () => {
    const { tasks } = connected.client.experimental
    const taskId = await create({ name: 'slow_compute', arguments: { seconds: 300 } })
    expect(await tasks.getTask(taskId)).toMatchObject({ taskId, status: 'working' })
    expect((await tasks.listTasks()).tasks.map((task) => task.taskId)).toContain(taskId)
    const waiting = tasks.getTaskResult(taskId, CallToolResultSchema)
    const refused = expect(waiting).rejects.toMatchObject({ code: -32600 })
    expect(await tasks.cancelTask(taskId)).toMatchObject({ status: 'cancelled' })
    await refused
    await expect(tasks.cancelTask(taskId)).rejects.toMatchObject({ code: -32602 })
    expect(await tasks.getTask(taskId)).toMatchObject({ status: 'cancelled' })
  })

  it('fail if their call fails', async () => {
    const { tasks } = connected.client.experimental
    const failed = await create({ name: 'failing_job' })
    expect(await tasks.getTaskResult(failed, CallToolResultSchema)).toMatchObject({
      isError: true,
      ...text('The job has failed'),
    })
    expect(await tasks.getTask(failed)).toMatchObject({
      status: 'failed',
      statusMessage: 'The job has failed',
    })
    const broken = await create({ name: 'protocol_error_job' })
    await expect(tasks.getTaskResult(broken, CallToolResultSchema)).rejects.toMatchObject({ code: -32603 })
  })

  // Over stdio, there cannot be another client.
  if (transport === 'stdio') return

  it('are not visible to another client', async () => {
    const other = await connect(target())
    const taskId = await create({ name: 'slow_compute', arguments: { seconds: 300 } })
    await expect(other.client.experimental.tasks.getTask(taskId)).rejects.toMatchObject({ code: -32602 })
    expect((await other.client.experimental.tasks.listTasks()).tasks).toEqual([])
    await other.client.close()
    await connected.client.experimental.tasks.cancelTask(taskId)
  })
})

describe('tasks without a session over stdio', () => {
  const _meta = requestMeta({
    elicitation: {},
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  })

  it('notify a subscribed client when they ask a question, and when they end', async () => {
    const client = new RawStdio()
    try {
      const ask = (id: number, method: string, params: object): Promise<Message> =>
        client.ask({ jsonrpc: '2.0', id, method, params: { ...params, _meta } })
      const { result } = await ask(1, 'tools/call', { name: 'confirm_delete', arguments: {} })
      const taskId = result?.['taskId']
      void ask(2, 'subscriptions/listen', { notifications: { taskIds: [taskId] } })
      const told = async (status: string): Promise<Message['params']> =>
        vi.waitFor(() => {
          const messages = client.lines.map((line) => JSON.parse(line) as Message)
          const found = messages.find(({ params }) => params?.['status'] === status)
          expect(found).toMatchObject({
            method: 'notifications/tasks',
            params: { taskId, _meta: { 'io.modelcontextprotocol/subscriptionId': 2 } },
          })
          return found?.params
        })
      const [key] = Object.keys((await told('input_required'))?.['inputRequests'] as object) as [string]
      const inputResponses = { [key]: { action: 'accept', content: { confirm: true } } }
      await ask(3, 'tasks/update', { taskId, inputResponses })
      expect(await told('completed')).toMatchObject({ result: text('Deleted notes.txt') })
    } finally {
      client.kill()
    }
  })
})
