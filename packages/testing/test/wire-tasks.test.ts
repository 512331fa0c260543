import { elicit, McpServer, ToolError } from '@jetway/core'
import { createMemoryTransportPair } from '@jetway/core/transport'
import { describe, expect, it } from 'vitest'
import { connectPeer } from '../src/peer.ts'
import { recordTransport } from '../src/record-transport.ts'
import { validateWire } from './support/wire.ts'

const FORM = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] }

function createServer(): McpServer {
  const server = new McpServer(
    { name: 'wire', version: '1.0.0' },
    { limits: { pageSize: 2 }, logging: { level: 'debug' } },
  )
  server.addTool({
    name: 'works',
    taskSupport: 'optional',
    immediateResponse: 'It has begun',
    asks: { sure: () => elicit('Sure?', FORM) },
    async handler(_args, ctx) {
      await ctx.progress(1, 2, 'Half of it')
      ctx.log.info({ at: 'half' })
      const { ok } = await ctx.elicit('Really?', FORM)
      return String(ok)
    },
  })
  server.addTool({
    name: 'fails',
    taskSupport: 'required',
    handler: () => {
      throw new ToolError('It has failed')
    },
  })
  server.addTool({
    name: 'hangs',
    taskSupport: 'optional',
    handler: () => new Promise(() => {}),
  })
  return server
}

/** Causes every kind of message about tasks, and validates the server's messages against the schema. */
async function converse(revision: string) {
  const server = createServer()
  const [client, end] = createMemoryTransportPair()
  const { transport, frames } = recordTransport(client)
  server.connect(end)
  const peer = await connectPeer(transport, {
    revision,
    capabilities: { elicitation: { form: {} } },
    onRequest: () => ({ action: 'accept', content: { ok: true } }),
  })
  const create = async (name: string): Promise<unknown> => {
    const params = { name, task: { ttl: 60_000 }, _meta: { progressToken: name } }
    const { result } = await peer.request('tools/call', params)
    return (result as { task?: { taskId: unknown } } | undefined)?.task?.taskId
  }
  await peer.request('tools/list', {})
  const taskId = await create('works')
  await peer.request('tasks/get', { taskId })
  // Both requests carry the questions, and the copies that remain unanswered are cancelled.
  const results = [taskId, taskId].map((id) => peer.request('tasks/result', { taskId: id }))
  await Promise.all(results)
  await peer.request('tasks/get', { taskId })
  const failed = await create('fails')
  await peer.request('tasks/result', { taskId: failed })
  await peer.request('tasks/get', { taskId: failed })
  if (taskId !== undefined) {
    const hanging = await create('hangs')
    const waiting = peer.request('tasks/result', { taskId: hanging })
    await peer.request('tasks/list', {})
    await peer.request('tasks/cancel', { taskId: hanging })
    await waiting
  }
  await peer.request('tasks/list', { cursor: 'x' })
  await peer.request('tasks/get', { taskId: 'never' })
  await peer.close()
  await server.close()
  const methods = new Map<unknown, string>()
  const wrong: string[] = []
  const sent: string[] = []
  for (const { direction, message } of frames) {
    const { id, method } = message as { id?: unknown; method?: string }
    if (direction === 'sent') {
      if (method !== undefined) methods.set(id, method)
      continue
    }
    if (method !== undefined) sent.push(method)
    wrong.push(...check(revision, message, methods.get(id)))
  }
  return { wrong, sent, text: JSON.stringify(frames.filter(({ direction }) => direction === 'received')) }
}

/** The schema names results after their requests, except for two results of a task-augmented request. */
function check(revision: string, message: unknown, method: string | undefined): readonly string[] {
  const { result } = message as { result?: { task?: unknown } }
  if (result?.task !== undefined)
    return validateWire(revision, message, { direction: 'server', result: 'CreateTaskResult' })
  return validateWire(revision, message, {
    direction: 'server',
    method: method === 'tasks/result' ? 'tools/call' : method,
  })
}

describe('task messages', () => {
  it('are valid in the revision that defines them', async () => {
    const { wrong, sent } = await converse('2025-11-25')
    expect(wrong).toEqual([])
    expect(new Set(sent)).toEqual(
      new Set([
        'notifications/tasks/status',
        'notifications/progress',
        'notifications/message',
        'elicitation/create',
        'notifications/cancelled',
      ]),
    )
  })

  it.each(['2024-11-05', '2025-03-26', '2025-06-18'])('do not occur in %s', async (revision) => {
    const { wrong, text } = await converse(revision)
    expect(wrong).toEqual([])
    expect(text).not.toMatch(/task/i)
  })
})
