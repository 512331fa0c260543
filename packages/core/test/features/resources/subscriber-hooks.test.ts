import { request, requestMeta, settled } from '@jetway-apps/test-support'
import { describe, expect, it, vi } from 'vitest'
import { McpServer } from '../../../src/index.ts'
import { createMemoryTransportPair } from '../../../src/duplex/index.ts'
import { openPeer } from '../../support/peer.ts'

/** Hooks run one after another, each after the promise of the previous one. */

const listenTo = (uri: string, id: number): object =>
  request(
    'subscriptions/listen',
    {
      notifications: { resourceSubscriptions: [uri] },
      _meta: requestMeta(),
    },
    id,
  )

async function listener(server: McpServer<unknown, string>, uri: string): Promise<() => Promise<void>> {
  const [near, far] = createMemoryTransportPair()
  const connection = server.connect(far)
  await new Promise<void>((resolve) => {
    void near.start({ message: () => resolve(), malformed: () => {}, close: () => {} })
    void near.send(JSON.stringify(listenTo(uri, 1)))
  })
  return () => connection.close()
}

function create() {
  const calls: string[] = []
  const server = new McpServer<unknown, string>(
    { name: 'test', version: '1' },
    { lifespan: () => 'opened', logger: { debug() {}, info() {}, warn() {}, error() {} } },
  )
  server.addResourceTemplate({
    uriTemplate: 'file://{name}',
    name: 'file',
    onSubscribe: (uri, app) => void calls.push(`+${uri} ${app}`),
    onUnsubscribe: (uri, app) => void calls.push(`-${uri} ${app}`),
    handler: () => '',
  })
  return { server, calls }
}

describe("a resource's onSubscribe and onUnsubscribe", () => {
  it('are called for the first and the last of all subscribers in sessions and subscription streams', async () => {
    const { server, calls } = create()
    const session = await openPeer(server)
    const other = await openPeer(server)
    await session.request('resources/subscribe', { uri: 'file://a' })
    await session.request('resources/subscribe', { uri: 'file://a' })
    await other.request('resources/subscribe', { uri: 'file://a' })
    const stop = await listener(server, 'file://a')
    await session.request('resources/unsubscribe', { uri: 'file://a' })
    await other.close()
    await settled()
    expect(calls).toEqual(['+file://a opened'])
    await stop()
    await settled()
    expect(calls).toEqual(['+file://a opened', '-file://a opened'])
    await session.request('resources/subscribe', { uri: 'file://a' })
    await settled()
    expect(calls).toHaveLength(3)
  })

  it('are read from the definition when the resource receives its first subscriber', async () => {
    const { server } = create()
    const calls: string[] = []
    const hooks = (name: string) => ({
      onSubscribe: () => void calls.push(`+${name}`),
      onUnsubscribe: () => void calls.push(`-${name}`),
    })
    const handle = server.addResource({ uri: 'a://b', name: 'b', ...hooks('old'), handler: () => '' })
    const [session, other] = [await openPeer(server), await openPeer(server)]
    await session.request('resources/subscribe', { uri: 'a://b' })
    handle.update(hooks('new'))
    await other.request('resources/subscribe', { uri: 'a://b' })
    await session.close()
    await other.request('resources/unsubscribe', { uri: 'a://b' })
    await settled()
    expect(calls).toEqual(['+old', '-old'])
    await other.request('resources/subscribe', { uri: 'a://b' })
    await settled()
    expect(calls).toEqual(['+old', '-old', '+new'])
  })

  it.each(['onSubscribe', 'onUnsubscribe'])('are independent, so that %s can be used alone', async (name) => {
    const { server } = create()
    const hook = vi.fn()
    server.addResource({ uri: 'a://b', name: 'b', [name]: hook, handler: () => '' })
    const session = await openPeer(server)
    await session.request('resources/subscribe', { uri: 'a://b' })
    await session.request('resources/unsubscribe', { uri: 'a://b' })
    await settled()
    expect(hook.mock.calls).toEqual([['a://b', 'opened']])
  })

  it('are called separately for each URI', async () => {
    const { server, calls } = create()
    const session = await openPeer(server)
    await session.request('resources/subscribe', { uri: 'file://a' })
    await session.request('resources/subscribe', { uri: 'file://b' })
    await session.request('resources/unsubscribe', { uri: 'file://a' })
    await settled()
    expect(calls).toEqual(['+file://a opened', '+file://b opened', '-file://a opened'])
  })

  it('are called in order, and do not affect the subscription if they fail', async () => {
    const { server } = create()
    const order: string[] = []
    let release = (): void => {}
    server.addResource({
      uri: 'slow://1',
      name: 'slow',
      onSubscribe: async () => {
        order.push('begins')
        await new Promise<void>((resolve) => (release = resolve))
        throw new Error('no watcher left')
      },
      onUnsubscribe: () => void order.push('ends'),
      handler: () => '',
    })
    const session = await openPeer(server)
    const { result } = await session.request('resources/subscribe', { uri: 'slow://1' })
    await session.request('resources/unsubscribe', { uri: 'slow://1' })
    await settled()
    expect([result, order]).toEqual([{}, ['begins']])
    release()
    await vi.waitFor(() => expect(order).toEqual(['begins', 'ends']))
  })

  it('are rejected unless they are functions', () => {
    const { server } = create()
    const onSubscribe = 'x' as unknown as () => void
    expect(() => server.addResource({ uri: 'a://b', name: 'b', onSubscribe, handler: () => '' })).toThrow(
      /ERR_MCP_INVALID_DEFINITION/,
    )
  })

  it('are called separately for each session that has its own resource with the same URI', async () => {
    const { server } = create()
    const seen: string[] = []
    server.addTool({
      name: 'own',
      handler: (_args, ctx) => {
        const { session } = ctx
        if (session === undefined) return 'none'
        server.forSession(session).addResource({
          uri: 'own://1',
          name: 'own',
          onSubscribe: () => void seen.push(session.id),
          handler: () => '',
        })
        return 'added'
      },
    })
    for (const peer of [await openPeer(server), await openPeer(server)]) {
      await peer.request('tools/call', { name: 'own' })
      await peer.request('resources/subscribe', { uri: 'own://1' })
    }
    await settled()
    expect(new Set(seen).size).toBe(2)
  })
})
