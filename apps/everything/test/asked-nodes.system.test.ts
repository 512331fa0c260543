import { type Cluster, startCluster } from '@jetway-apps/test-support/cluster'
import { program } from '@jetway-tools/runtimes/program'
import { Client, type TransportFactory } from '@jetway/client'
import { http, sse } from '@jetway/client/http'
import { REVISIONS } from '@jetway/core/protocol'
import { Client as ClientV2, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport as StreamableHTTPClientTransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { text } from './support/features/feature.ts'

// A client sends each request to a different process, so no process receives the answer to its own question.

const INFO = { name: 'asked', version: '1.0.0' }
const CAPABILITIES = { elicitation: { form: {} }, sampling: {}, roots: {} }
const FORM = { action: 'accept', content: { username: 'ada', email: 'ada@example.com' } } as const
const SAID = { role: 'assistant', model: 'test', content: { type: 'text', text: 'hi too' } } as const
const ROOTS = [{ uri: 'file:///home' }]

/** Creates a client that answers questions. */
interface Asked {
  callTool(name: string, args?: Record<string, unknown>): Promise<unknown>
  close(): Promise<void>
}

async function connectV1(
  url: URL,
  transport: StreamableHTTPClientTransportV1 | SSEClientTransport = new StreamableHTTPClientTransportV1(url),
): Promise<Asked> {
  const client = new ClientV1(INFO, { capabilities: CAPABILITIES })
  client.setRequestHandler(ElicitRequestSchema, () => FORM)
  client.setRequestHandler(CreateMessageRequestSchema, () => SAID)
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: ROOTS }))
  await client.connect(transport)
  return {
    callTool: (name, args = {}) => client.callTool({ name, arguments: args }),
    async close() {
      if (transport instanceof StreamableHTTPClientTransportV1) await transport.terminateSession()
      await client.close()
    },
  }
}

async function connectV2(url: URL, mode: 'legacy' | { readonly pin: string }): Promise<Asked> {
  const client = new ClientV2(INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode } })
  client.setRequestHandler('elicitation/create', () => FORM)
  client.setRequestHandler('sampling/createMessage', () => SAID)
  client.setRequestHandler('roots/list', () => ({ roots: ROOTS }))
  await client.connect(new StreamableHTTPClientTransport(url))
  return {
    callTool: (name, args = {}) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  }
}

const connectOwn = (
  url: URL,
  revision: (typeof REVISIONS)[number]['version'],
  transport: TransportFactory = http(url),
): Promise<Client> =>
  new Client(INFO, {
    revisions: [revision],
    handlers: { elicit: () => FORM, sample: () => SAID, roots: () => ROOTS },
  }).connect(transport)

const OWN = REVISIONS.map(({ version }) => version)
/** The revisions that support HTTP+SSE. */
const SSE = REVISIONS.filter(({ era }) => era === 'legacy').map(({ version }) => version)
const sseUrl = (url: URL): URL => new URL('sse', url)
const overSse = (url: URL): TransportFactory => sse(sseUrl(url))

/** Revisions older than 2025-06-18 do not support elicitation. */
const CLIENTS: readonly (readonly [client: string, (url: URL) => Promise<Asked>, elicits: boolean])[] = [
  ['official client v1', connectV1, true],
  ['official client v2 legacy', (url) => connectV2(url, 'legacy'), true],
  ['official client v2 modern', (url) => connectV2(url, { pin: '2026-07-28' }), true],
  ...OWN.map(
    (revision) =>
      [
        `client of Jetway at ${revision}`,
        (url: URL) => connectOwn(url, revision),
        revision >= '2025-06-18',
      ] as const,
  ),
  ['official client v1 over HTTP+SSE', (url) => connectV1(url, new SSEClientTransport(sseUrl(url))), true],
  ...SSE.map(
    (revision) =>
      [
        `client of Jetway over HTTP+SSE at ${revision}`,
        (url: URL) => connectOwn(url, revision, overSse(url)),
        revision >= '2025-06-18',
      ] as const,
  ),
]

describe('three processes that serve requests in rotation', () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster(program(new URL('./support/serve-node.ts', import.meta.url)))
  })
  afterAll(() => cluster?.stop())

  it.each(CLIENTS)('request a form, a sample and roots from the %s', async (_, connect, elicits) => {
    const client = await connect(new URL(cluster.url))
    onTestFinished(() => client.close())
    if (elicits)
      expect(await client.callTool('test_elicitation', { message: 'Who?' })).toMatchObject(
        text('User response: action=accept, content={"username":"ada","email":"ada@example.com"}'),
      )
    expect(await client.callTool('test_sampling', { prompt: 'hi' })).toMatchObject(
      text('LLM response: hi too'),
    )
    expect(await client.callTool('list_client_roots')).toMatchObject(text('["file:///home"]'))
  })

  it.each([
    ...OWN.map((revision) => ({ revision, name: revision, transport: http })),
    ...SSE.map((revision) => ({ revision, name: `${revision} over HTTP+SSE`, transport: overSse })),
  ])(
    'send progress, change notifications, resumed streams and task results to Jetway’s client at $name',
    async ({ revision, transport }) => {
      const url = new URL(cluster.url)
      const client = await connectOwn(url, revision, transport(url))
      onTestFinished(() => client.close())
      const seen: number[] = []
      const onProgress = ({ progress }: { readonly progress: number }): void => void seen.push(progress)
      await client.callTool('test_tool_with_progress', {}, { onProgress })
      expect(seen).toEqual([0, 50, 100])
      const updated: string[] = []
      client.on('resourceUpdated', ({ uri }) => void updated.push(uri))
      await client.subscribe('test://watched-resource')
      await client.callTool('touch_watched_resource')
      await vi.waitFor(() => expect(updated).toHaveLength(1))
      expect(await client.callTool('test_reconnection')).toMatchObject(text('Answered after a while'))
      if (revision < '2025-11-25') return
      const task = await client.startTask('slow_compute', { seconds: 0, label: 'x' })
      expect(await task.result()).toMatchObject(text('Computed x in 0 s'))
      const asking = await client.startTask('confirm_delete')
      expect(await asking.result()).toMatchObject({ content: [{ type: 'text' }] })
      const long = await client.startTask('slow_compute', { seconds: 300 })
      await long.cancel()
      expect(await long.get()).toMatchObject({ status: 'cancelled' })
    },
  )

  it('let the official client read and cancel tasks that run on other processes', async () => {
    const client = new ClientV1(INFO)
    await client.connect(new StreamableHTTPClientTransportV1(new URL(cluster.url)))
    onTestFinished(() => client.close())
    const call = { name: 'slow_compute', arguments: { seconds: 0, label: 'y' } }
    const seen: unknown[] = []
    for await (const message of client.experimental.tasks.callToolStream(call, CallToolResultSchema, {
      task: { ttl: 60_000 },
    }))
      seen.push(message.type === 'result' ? message.result : message.type)
    expect(seen.at(-1)).toMatchObject(text('Computed y in 0 s'))
  })
})
