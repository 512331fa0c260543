import { setTimeout as delay } from 'node:timers/promises'
import { type ClusterNode, startCluster } from '@jetway-apps/test-support/cluster'
import { expect, it } from 'vitest'
import { NodeClient, progressOf, responseOf } from './support/nodes/client.ts'
import { SERVE_NODE } from './support/nodes/kills.ts'
import { keys } from './support/nodes/monitor.ts'

const STOPPED_MS = 10_000
const POSITION_SENT = /^id: .*\.(\d+)$/gm
const POSITION_STORED = /^(\d+)-\d+\r$/gm
const UPDATED = 'notifications/resources/updated'
const NOTE = { uri: 'note://ann' }

it('a node paused for 10 s does not write to a stream that another node has taken over', async () => {
  const cluster = await startCluster(SERVE_NODE, 2)
  try {
    const [stopped, other] = cluster.nodes as readonly [ClusterNode, ClusterNode]
    await new NodeClient({ principal: 'ann', client: 'first' }).open(other.url)
    const client = await new NodeClient({ principal: 'ann', client: 'second' }).open(stopped.url)
    const reply = await client.call(stopped.url, 'count', { to: 300, everyMs: 5 })
    await reply.until(() => reply.messages.length >= 10)
    stopped.signal('SIGSTOP')
    const since = performance.now()
    await reply.leave()

    const resumed = await client.get(other.url, reply.lastId)
    await resumed.ended
    const messages = [...reply.messages, ...resumed.messages]
    const progress = progressOf(messages)
    expect(progress).toEqual(progress.map((_, i) => i + 1))
    expect(responseOf(messages)?.error).toMatchObject({ code: -32603 })

    const [log = ''] = await keys(cluster.redis, 'jw1:nodes:e:*')
    const stored = await cluster.redis.command('XRANGE', log, '-', '+')
    expect(stored).toContain('-32603')
    await delay(STOPPED_MS - (performance.now() - since))
    stopped.signal('SIGCONT')
    await stopped.running.until(/"counted":"second"/)
    expect(await cluster.redis.command('XRANGE', log, '-', '+')).toBe(stored)
    // The node still serves the session.
    const echo = await client.call(stopped.url, 'echo', { text: 'again' })
    await echo.ended
    expect(echo.text).toContain('<ann/second> again')
  } finally {
    await cluster.stop()
  }
})

it('a node paused for 10 s does not reclaim a session’s GET stream that another node has taken over', async () => {
  const cluster = await startCluster(SERVE_NODE, 2)
  try {
    const [stopped, other] = cluster.nodes as readonly [ClusterNode, ClusterNode]
    const client = await new NodeClient({ principal: 'ann', client: 'listening' }).open(stopped.url)
    const subscribe = { jsonrpc: '2.0', id: client.nextId(), method: 'resources/subscribe', params: NOTE }
    expect((await client.post(stopped.url, subscribe)).text).toContain('"result":{}')
    const first = await client.get(stopped.url)
    const touch = async ({ url }: ClusterNode): Promise<void> =>
      (await client.call(url, 'touch', { owner: 'ann' })).ended
    await touch(stopped)
    await first.until(() => first.messages.length === 1)
    stopped.signal('SIGSTOP')
    const since = performance.now()
    await first.leave()

    const resumed = await client.get(other.url, first.lastId)
    const updates = (): number => resumed.messages.filter(({ method }) => method === UPDATED).length
    const arrives = (count: number): Promise<void> => resumed.until(() => updates() >= count)
    // The paused node may have missed changes, so everything counts as changed.
    await arrives(1)
    for (let count = 2; count <= 4; count++) {
      await touch(other)
      await arrives(count)
    }
    await delay(STOPPED_MS - (performance.now() - since))
    stopped.signal('SIGCONT')
    // By the time the node replies, it has learnt of the changes.
    await touch(stopped)
    await arrives(5)
    await touch(stopped)
    await arrives(6)

    const [log = ''] = await keys(cluster.redis, 'jw1:nodes:e:*')
    const stored = await cluster.redis.command('XRANGE', log, '-', '+')
    const positions = [...stored.matchAll(POSITION_STORED)].map(([, seq]) => seq)
    // The event before the first one has the id 0, as does the empty event at the start of a resumed stream.
    const sent = (): Set<string | undefined> =>
      new Set([...`${first.text}${resumed.text}`.matchAll(POSITION_SENT)].map(([, seq]) => seq))
    // An event is stored before it is sent, and a change may be reported more than once.
    await resumed.until(() => sent().has(positions.at(-1)))
    expect(positions).toEqual(positions.map((_, i) => String(i + 1)))
    expect([...sent()]).toEqual(['0', ...positions])
    expect(new Set(first.messages.map(({ method }) => method))).toEqual(new Set([UPDATED]))
  } finally {
    await cluster.stop()
  }
})
