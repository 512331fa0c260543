import { setTimeout as delay } from 'node:timers/promises'
import { type ClusterNode, startCluster } from '@jetway-apps/test-support/cluster'
import { expect, it } from 'vitest'
import { NodeClient, progressOf, responseOf } from './support/nodes/client.ts'
import { SERVE_NODE } from './support/nodes/kills.ts'
import { keys } from './support/nodes/monitor.ts'

const STOPPED_MS = 10_000

it('a node that is stopped for 10 s writes nothing to a stream that another one has taken over', async () => {
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
    // It serves the session as before.
    const echo = await client.call(stopped.url, 'echo', { text: 'again' })
    await echo.ended
    expect(echo.text).toContain('<ann/second> again')
  } finally {
    await cluster.stop()
  }
})
