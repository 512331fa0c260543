import { initialize, REVISION } from '@jetway-apps/test-support'
import { type Cluster, type ClusterNode, startCluster } from '@jetway-apps/test-support/cluster'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { NodeClient, progressOf, type Reply, responseOf } from './support/nodes/client.ts'
import { SERVE_NODE } from './support/nodes/kills.ts'
import { keys } from './support/nodes/monitor.ts'
import { SseNodeClient } from './support/nodes/sse-client.ts'

/** A time that exceeds a node's lease and the recovery time of the stores. */
const LIMIT_MS = 20_000
/** The time in which a process ends: its deadline of 1 s, 2 s for Redis, and 1 s for a busy machine. */
const ENDED_MS = 4_000
const UPDATED = 'notifications/resources/updated'
const TOOLS_CHANGED = 'notifications/tools/list_changed'

interface Started<T> {
  readonly cluster: Cluster
  readonly nodes: T
}

async function start<T extends readonly ClusterNode[]>(count: T['length']): Promise<Started<T>> {
  // A node that has read a session finds it again without Redis.
  const cluster = await startCluster(SERVE_NODE, count, { VERIFY_MS: '600000' })
  onTestFinished(() => cluster.stop())
  return { cluster, nodes: cluster.nodes as unknown as T }
}

const leases = async ({ redis }: Cluster): Promise<number> => (await keys(redis, 'jw1:nodes:n:*')).length

/** Stops Redis. Resolves when a node refuses commands without sending them. */
async function hang({ redis }: Cluster, { url }: ClusterNode): Promise<void> {
  redis.signal('SIGSTOP')
  const opens = Array.from({ length: 6 }, () =>
    new NodeClient({ principal: 'eve', client: 'eve' }).once(url, initialize(REVISION)),
  )
  for (const { status } of await Promise.all(opens)) expect(status).toBe(503)
}

describe('the GET stream of a killed process', () => {
  it('reports changes made before the client resumes it on another process', async () => {
    const { nodes } = await start<[ClusterNode, ClusterNode, ClusterNode]>(3)
    const [a, b, c] = nodes
    const client = await new NodeClient({ principal: 'ann', client: 'ann' }).open(a.url)
    const params = { uri: 'note://ann' }
    await client.post(a.url, { jsonrpc: '2.0', id: 'subscribe', method: 'resources/subscribe', params })
    const touch = async ({ url }: ClusterNode): Promise<void> =>
      (await client.call(url, 'touch', { owner: 'ann' })).ended
    const first = await client.get(a.url)
    await touch(a)
    await first.until(() => first.messages.length === 1)
    await a.kill()
    await touch(b)
    // The killed process still has its lease, so it counts as running.
    const resumed = await client.get(c.url, first.lastId)
    const methods = (): unknown[] => resumed.messages.map(({ method }) => method)
    await resumed.until(() => methods().includes(UPDATED) && methods().includes(TOOLS_CHANGED))
    await resumed.leave()
  })
})

interface Asked {
  readonly client: NodeClient
  readonly reply: Reply
  readonly answer: object
}

/** Calls a tool that asks a question, and waits for the question. Before that, the other node reads the session. */
async function ask(a: ClusterNode, b: ClusterNode): Promise<Asked> {
  const client = await new NodeClient({ principal: 'ann', client: 'ann' }).open(a.url)
  await (
    await client.call(b.url, 'echo', { text: 'x' })
  ).ended
  const reply = await client.call(a.url, 'ask', { text: 'Sure?' })
  const question = (): string | number | undefined =>
    reply.messages.find(({ method }) => method === 'elicitation/create')?.id
  await reply.until(() => question() !== undefined)
  const result = { action: 'accept', content: { answer: 'yes' } }
  return { client, reply, answer: { jsonrpc: '2.0', id: question(), result } }
}

describe('an answer sent to another process', () => {
  it('is refused while the process that asked is paused, and accepted once it continues', async () => {
    const { cluster, nodes } = await start<[ClusterNode, ClusterNode]>(2)
    const [a, b] = nodes
    const { client, reply, answer } = await ask(a, b)
    a.signal('SIGSTOP')
    await vi.waitFor(async () => expect(await leases(cluster)).toBe(1), LIMIT_MS)
    const refused = await client.once(b.url, answer)
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1'])
    a.signal('SIGCONT')
    await vi.waitFor(async () => expect(await leases(cluster)).toBe(2), LIMIT_MS)
    expect((await client.post(b.url, answer)).status).toBe(202)
    await reply.ended
    expect(reply.text).toContain('Sure?: yes')
  })

  it('is accepted only once the process that asked has received it, even if Redis had hung before', async () => {
    const { cluster, nodes } = await start<[ClusterNode, ClusterNode]>(2)
    const [a, b] = nodes
    const { client, reply, answer } = await ask(a, b)
    await hang(cluster, b)
    const accepted = client.once(b.url, answer)
    cluster.redis.signal('SIGCONT')
    const { status } = await accepted
    // A slow machine may need longer than the 3 s for which the process retries.
    if (status === 503) expect((await client.post(b.url, answer)).status).toBe(202)
    else expect(status).toBe(202)
    await reply.ended
    expect(reply.text).toContain('Sure?: yes')
  })
})

describe('a cancellation sent to another process', () => {
  it('is refused while Redis hangs, but still cancels the call later', async () => {
    const { cluster, nodes } = await start<[ClusterNode, ClusterNode]>(2)
    const [a, b] = nodes
    const client = await new NodeClient({ principal: 'ann', client: 'ann' }).open(a.url)
    await (
      await client.call(b.url, 'echo', { text: 'x' })
    ).ended
    const reply = await client.call(a.url, 'wait', { text: 'here' })
    await reply.until(() => reply.messages.length > 0)
    const requestId = Number(String(reply.messages[0]?.params?.['progressToken']).slice('token '.length))
    await hang(cluster, b)
    const params = { requestId }
    const refused = await client.once(b.url, { jsonrpc: '2.0', method: 'notifications/cancelled', params })
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1'])
    cluster.redis.signal('SIGCONT')
    await a.running.until(/"cancelled":"here"/)
  })
})

describe('an HTTP+SSE call', () => {
  it('receives its response even if the process that forwarded it is killed', async () => {
    const { nodes } = await start<[ClusterNode, ClusterNode]>(2)
    const [a, b] = nodes
    const client = await new SseNodeClient('ann').listen(a.url)
    onTestFinished(() => client.leave())
    await client.open(b.url)
    const call = await client.call(b.url, 'count', { to: 200, everyMs: 5 })
    await b.kill()
    await vi.waitFor(() => expect(responseOf(client.about(call))).toBeDefined(), LIMIT_MS)
    expect(responseOf(client.about(call))?.result).toBeDefined()
    expect(progressOf(client.about(call))).toHaveLength(200)
  })
})

describe('SIGTERM while Redis hangs', () => {
  it('makes the process exit, even though the end of its call cannot be stored', async () => {
    const { cluster, nodes } = await start<[ClusterNode]>(1)
    const [a] = nodes
    const client = await new NodeClient({ principal: 'ann', client: 'ann' }).open(a.url)
    const reply = await client.call(a.url, 'wait', { text: 'here' })
    await reply.until(() => reply.messages.length > 0)
    cluster.redis.signal('SIGSTOP')
    const signalled = performance.now()
    expect(await a.running.stop('SIGTERM')).toBe(0)
    expect(performance.now() - signalled).toBeLessThan(ENDED_MS)
    cluster.redis.signal('SIGCONT')
  })
})
