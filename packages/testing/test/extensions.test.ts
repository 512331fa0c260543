import { silent } from '@jetway-apps/test-support'
import { McpServer, tasks } from '@jetway/core'
import type { JsonObject } from '@jetway/core/protocol'
import { describe, expect, it, onTestFinished } from 'vitest'
import { memoryTransport } from '../src/matrix-transports.ts'
import { connectPeer, type PeerOptions, type TestConnection } from '../src/peer.ts'
import { HOST_TRANSPORTS } from './support/host-transports.ts'

const MODERN = '2026-07-28'
const TASKS = 'io.modelcontextprotocol/tasks'
const TRANSPORTS = [memoryTransport, ...HOST_TRANSPORTS].map(
  (transport) => [transport.name, transport] as const,
)

type Dial = (options: PeerOptions) => Promise<TestConnection>

async function serve(server: McpServer, transport: (typeof TRANSPORTS)[number][1]): Promise<Dial> {
  const served = await transport.open(server)
  onTestFinished(() => served.close())
  return async (options) => {
    const peer = await connectPeer(await served.dial(), options)
    onTestFinished(() => peer.close())
    return peer
  }
}

// https://modelcontextprotocol.io/seps/2663-tasks-extension
describe.each(TRANSPORTS)('a tool that runs as a task over %s', (_name, transport) => {
  const FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const
  const fill = (name: string): JsonObject => ({ action: 'accept', content: { name } })

  it('can elicit input from clients with and without a session at the same time', async () => {
    const server = new McpServer({ name: 'a', version: '1' }, { extensions: [tasks()], logger: silent })
    const ran: unknown[] = []
    server.addTool({
      name: 'greet',
      taskSupport: 'optional',
      async handler(_args, ctx) {
        ran.push(ctx.protocolVersion)
        return `Hello, ${(await ctx.elicit('Who?', FORM)).name}`
      },
    })
    const dial = await serve(server, transport)
    const session = await dial({
      revision: '2025-11-25',
      capabilities: { elicitation: { form: {} } },
      onRequest: () => fill('Ann'),
    })
    const alone = await dial({
      revision: MODERN,
      capabilities: { elicitation: { form: {} }, extensions: { [TASKS]: {} } },
    })

    const inSession = await session.request('tools/call', { name: 'greet', task: {} })
    const { taskId: first } = (inSession.result?.['task'] ?? {}) as { readonly taskId?: string }
    const handle = await alone.request('tools/call', { name: 'greet' })
    expect(handle.result).toMatchObject({ resultType: 'task', status: 'working' })
    const taskId = handle.result?.['taskId'] as string
    const notifications = { taskIds: [taskId] }
    void alone.request('subscriptions/listen', { notifications }).catch(() => {})

    const asking = await alone.notification(
      'notifications/tasks',
      ({ status }) => status === 'input_required',
    )
    const [key = ''] = Object.keys(asking.params?.['inputRequests'] as object)
    await alone.request('tasks/update', { taskId, inputResponses: { [key]: fill('Bob') } })
    const done = await alone.notification('notifications/tasks', ({ status }) => status === 'completed')
    expect(done.params).toMatchObject({ result: { content: [{ text: 'Hello, Bob' }] } })

    expect((await session.request('tasks/result', { taskId: first })).result).toMatchObject({
      content: [{ text: 'Hello, Ann' }],
    })
    expect(ran).toEqual(['2025-11-25', MODERN])
    // Neither client can see the other client's task.
    expect((await session.request('tasks/get', { taskId })).error?.code).toBe(-32602)
    expect((await alone.request('tasks/get', { taskId: first })).error?.code).toBe(-32602)
  })
})
