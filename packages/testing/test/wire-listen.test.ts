import type { JsonObject, RequestId } from '@jetway/core/protocol'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type MatrixTransport, memoryTransport } from '../src/matrix-transports.ts'
import { connectPeer, type RawResponse, type TestConnection } from '../src/peer.ts'
import { recordTransport, type RecordedFrame } from '../src/record-transport.ts'
import { HOST_TRANSPORTS } from './support/host-transports.ts'
import { createTellingServer, faults } from './support/telling-server.ts'

const REVISION = '2026-07-28'
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged'
const CHANGED = ['tools', 'prompts', 'resources'].map((list) => `notifications/${list}/list_changed`)
const CANCELLED = 'notifications/cancelled'
const UPDATED = 'notifications/resources/updated'

/**
 * The transports, with true for those that carry several subscriptions on one connection, so that a
 * notification announces the end of each.
 */
const TRANSPORTS: readonly [name: string, over: MatrixTransport, shared: boolean][] = [
  memoryTransport,
  ...HOST_TRANSPORTS,
].map((over) => [over.name, over, over.name === 'memory' || over.name === 'stdio'])
const SERVERS = { 'with the session revisions': {}, alone: { revisions: [REVISION] } } as const
const CELLS = TRANSPORTS.flatMap(([name, over, shared]) =>
  Object.entries(SERVERS).map(([kind, options]) => [name, kind, { over, shared, options }] as const),
)

/** The requested filters, keyed by request id. The ids are of both types, and two of them look alike. */
const FILTERS: readonly [id: RequestId, filter: JsonObject, honoured: JsonObject][] = [
  [
    'all',
    {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ['wire://text', 'wire://item/7', 'wire://unknown'],
    },
    {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ['wire://text', 'wire://item/7'],
    },
  ],
  ['0', { toolsListChanged: true, promptsListChanged: false }, { toolsListChanged: true }],
  [0, { resourceSubscriptions: [] }, { resourceSubscriptions: [] }],
  [-7, {}, {}],
]
const MALFORMED: readonly JsonObject[] = [
  {},
  { notifications: 'all' },
  { notifications: { toolsListChanged: 'yes' } },
  { notifications: { resourceSubscriptions: 'wire://text' } },
]

const messagesOf = (frames: readonly RecordedFrame[]): JsonObject[] =>
  frames.filter(({ direction }) => direction === 'received').map(({ message }) => message as JsonObject)
const paramsOf = ({ params }: JsonObject): JsonObject => (params ?? {}) as JsonObject
const subscriptionOf = (message: JsonObject): unknown =>
  (paramsOf(message)['_meta'] as JsonObject | undefined)?.[SUBSCRIPTION]

async function listenToAll(peer: TestConnection): Promise<Promise<RawResponse>[]> {
  const answers: Promise<RawResponse>[] = []
  for (const [id, notifications] of FILTERS) {
    answers.push(peer.request('subscriptions/listen', { notifications }, { id }))
    await peer.notification(
      ACKNOWLEDGED,
      ({ _meta }) => (_meta as JsonObject | undefined)?.[SUBSCRIPTION] === id,
    )
  }
  return answers
}

async function hear({ over, options }: { over: MatrixTransport; options: object }) {
  const server = createTellingServer(options)
  const served = await over.open(server)
  onTestFinished(() => served.close())
  const { transport, frames } = recordTransport(await served.dial())
  const peer = await connectPeer(transport, { revision: REVISION })
  onTestFinished(() => peer.close())
  const refusals: RawResponse[] = []
  for (const params of MALFORMED) refusals.push(await peer.request('subscriptions/listen', params))
  const answers = await listenToAll(peer)
  server.addTool({ name: 'late', handler: () => 'x' })
  server.removeResource('wire://json')
  server.removePrompt('short')
  server.notify.resourceUpdated('wire://text')
  server.notify.resourceUpdated('wire://item/7')
  server.notify.resourceUpdated('wire://bytes')
  await vi.waitFor(() =>
    expect(messagesOf(frames).filter((message) => subscriptionOf(message) !== undefined)).toHaveLength(
      FILTERS.length + 5 + 1,
    ),
  )
  void server.close()
  return { frames, answers: await Promise.all(answers), refusals }
}

// https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
describe.each(CELLS)('subscription messages over %s, %s', (_name, _kind, { over, shared, options }) => {
  it("match the revision's schema: acknowledgements, notifications, ends and errors", async () => {
    const { frames, answers, refusals } = await hear({ over, options })
    if (shared)
      await vi.waitFor(() =>
        expect(messagesOf(frames).filter(({ method }) => method === CANCELLED)).toHaveLength(FILTERS.length),
      )
    expect(faults(REVISION, frames)).toEqual([])
    expect(refusals.map(({ error }) => error?.code)).toEqual(MALFORMED.map(() => -32602))

    for (const [index, [id, , honoured]] of FILTERS.entries()) {
      const own = messagesOf(frames).filter((message) => subscriptionOf(message) === id)
      expect(own[0]).toMatchObject({ method: ACKNOWLEDGED, params: { notifications: honoured } })
      const told = own.slice(1).map((message) => {
        const { uri, requestId } = paramsOf(message)
        return `${String(message['method'])} ${String(uri ?? requestId)}`
      })
      const lists = id === 'all' ? CHANGED : id === '0' ? [CHANGED[0]] : []
      const uris = id === 'all' ? ['wire://item/7', 'wire://text'] : []
      expect(told.toSorted()).toEqual(
        [
          ...lists.map((method) => `${method} undefined`),
          ...uris.map((uri) => `${UPDATED} ${uri}`),
          ...(shared ? [`${CANCELLED} ${id}`] : []),
        ].toSorted(),
      )
      expect(answers[index]?.result).toMatchObject({
        resultType: 'complete',
        _meta: { [SUBSCRIPTION]: id },
      })
    }
  })
})
