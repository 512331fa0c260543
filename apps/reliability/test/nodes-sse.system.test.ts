import { setTimeout as delay } from 'node:timers/promises'
import { ping } from '@jetway-apps/test-support'
import { type Cluster, type ClusterNode, startCluster } from '@jetway-apps/test-support/cluster'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { progressOf, responseOf } from './support/nodes/client.ts'
import { SERVE_NODE } from './support/nodes/kills.ts'
import { keys, keysWithoutExpiry } from './support/nodes/monitor.ts'
import { SseNodeClient } from './support/nodes/sse-client.ts'

/** The time until messages to a killed process's sessions are refused with 404, in ms. */
const EXPIRED_MS = 9_000
const RECORDS = 'jw1:nodes:s:*'

describe('HTTP+SSE on three processes', () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster(SERVE_NODE, 3, { SESSION_TTL_MS: '4000' })
  })
  afterAll(() => cluster?.stop())

  const nodes = (): readonly [ClusterNode, ClusterNode, ClusterNode] =>
    cluster.nodes as unknown as readonly [ClusterNode, ClusterNode, ClusterNode]

  async function opened(): Promise<SseNodeClient> {
    const [a, b] = nodes()
    const client = await new SseNodeClient('ann').listen(a.url)
    onTestFinished(() => client.leave())
    return client.open(b.url)
  }

  it('delivers all messages from calls to any process once and in order', async () => {
    const client = await opened()
    const calls = await Promise.all(
      nodes().flatMap(({ url }) => [1, 2].map(() => client.call(url, 'count', { to: 200 }))),
    )
    await vi.waitFor(() => {
      for (const id of calls) expect(responseOf(client.about(id))).toBeDefined()
    })
    for (const id of calls) {
      const messages = client.about(id)
      expect(progressOf(messages)).toEqual(Array.from({ length: 200 }, (_, i) => i + 1))
      expect(messages.at(-1)?.id).toBe(id)
      expect(messages).toHaveLength(201)
    }
  })

  it('delivers large results completely, even if the call was sent to another process', async () => {
    const client = await opened()
    const length = 7_000_000
    for (const { url } of nodes()) {
      const id = await client.call(url, 'large', { length })
      await vi.waitFor(() => {
        const content = responseOf(client.about(id))?.result?.['content'] as { text: string }[] | undefined
        expect(content?.[0]?.text.length).toBe(length)
      })
    }
  })

  it('treats a session as unknown for any other principal, on every process', async () => {
    const client = await opened()
    for (const { url } of nodes()) {
      expect(await client.post(url, ping(), 'bob')).toEqual({ status: 404, text: 'Session not found' })
      expect((await client.post(url, ping())).status).toBe(202)
    }
  })

  it('keeps an idle session alive beyond its time to live while its stream is open', async () => {
    const client = await opened()
    const [, b] = nodes()
    await delay(6_000)
    expect((await client.post(b.url, ping())).status).toBe(202)
    client.leave()
    await vi.waitFor(async () => expect((await client.post(b.url, ping())).status).toBe(404))
    for (const { url } of nodes()) expect((await client.post(url, ping())).status).toBe(404)
    expect(await keys(cluster.redis, RECORDS)).toEqual([])
  })

  it("ends a killed process's sessions, and refuses their messages with 404", async () => {
    const client = await opened()
    const [a, b, c] = nodes()
    await client.call(c.url, 'wait', { text: 'elsewhere' })
    await vi.waitFor(() => expect(client.messages.length).toBeGreaterThan(1))
    await a.kill()
    await vi.waitFor(() => expect(client.ended).toBe(true))
    // The process counts as running until its lease expires.
    expect([404, 503]).toContain((await client.post(b.url, ping())).status)
    await vi.waitFor(async () => {
      for (const { url } of [b, c]) expect((await client.post(url, ping())).status).toBe(404)
    }, EXPIRED_MS)
    const bus = (await keysWithoutExpiry(cluster.redis)).filter((key) => !key.startsWith('jw1:nodes:b:'))
    expect(bus).toEqual([])
  })
})
