import type { JsonObject } from '@jetway/core/protocol'
import type { TestConnection } from '@jetway/testing'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { server } from '../src/tools/tasks.ts'
import { ask as askAt, peerOf } from './support.ts'

afterAll(() => server.close())

describe('tools in the tasks guide, in a session', () => {
  let client: TestConnection

  beforeAll(async () => {
    client = await peerOf(server, {
      revision: '2025-11-25',
      capabilities: { elicitation: { form: {} } },
      onRequest: () => ({ action: 'accept', content: { publish: true } }),
    })
  })
  afterAll(() => client.close())

  const ask = async (method: string, params: object): Promise<JsonObject> =>
    (await client.request(method, params as JsonObject)).result as JsonObject

  it('run as tasks that report progress and return their result on request', async () => {
    const params = { name: 'convert_files', arguments: { folder: 'in' }, task: {} }
    const created = await ask('tools/call', params)
    expect(created).toMatchObject({
      task: { status: 'working', ttl: 1_800_000 },
      _meta: {
        'io.modelcontextprotocol/model-immediate-response': expect.stringMatching('has begun') as string,
      },
    })
    const { taskId } = created['task'] as { taskId: string }
    expect(await ask('tasks/result', { taskId })).toMatchObject({ content: [{ text: 'Converted 3 files' }] })
    expect(await ask('tasks/get', { taskId })).toMatchObject({ status: 'completed' })
  })

  it('run as plain calls if the client does not request a task', async () => {
    const params = { name: 'convert_files', arguments: { folder: 'in' } }
    expect(await ask('tools/call', params)).toMatchObject({ content: [{ text: 'Converted 3 files' }] })
  })

  it('ask their questions while the client waits for the result', async () => {
    const created = await ask('tools/call', { name: 'publish_report', task: {} })
    const { taskId } = created['task'] as { taskId: string }
    expect(await ask('tasks/result', { taskId })).toMatchObject({ content: [{ text: 'Published' }] })
    expect((await client.request('tools/call', { name: 'publish_report' })).error?.code).toBe(-32601)
  })
})

describe('tools in the tasks guide, without a session', () => {
  const ask = (method: string, params: object, extensions: object): ReturnType<typeof askAt> =>
    askAt(server, method, params, { extensions, elicitation: {} })
  const declared = { 'io.modelcontextprotocol/tasks': {} }
  const call = { name: 'convert_files', arguments: { folder: 'in' } }

  it('run as tasks if the client declares the extension', async () => {
    const { result } = await ask('tools/call', call, declared)
    expect(result).toMatchObject({ resultType: 'task', ttlMs: 1_800_000 })
    const { taskId } = result as { taskId: string }
    await vi.waitFor(async () =>
      expect(await ask('tasks/get', { taskId }, declared)).toMatchObject({
        result: { status: 'completed', result: { content: [{ text: 'Converted 3 files' }] } },
      }),
    )
  })

  it('run as plain calls without the extension, except for tools that require tasks', async () => {
    expect(await ask('tools/call', call, {})).toMatchObject({ result: { resultType: 'complete' } })
    expect(await ask('tools/call', { name: 'publish_report' }, {})).toMatchObject({
      error: { code: -32_021 },
    })
  })
})
