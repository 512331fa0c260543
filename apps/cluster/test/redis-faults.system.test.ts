import { callTool, initialize, INITIALIZED } from '@jetway-apps/test-support'
import { HEADERS } from '@jetway-apps/test-support/http'
import type { Cluster } from '@jetway-apps/test-support/cluster'
import { expect, it, vi } from 'vitest'
import { startReplicas } from './support/replicas.ts'

type Headers = Readonly<Record<string, string>>

const post = ({ url }: Cluster, message: object, headers: Headers = {}): Promise<Response> =>
  fetch(url, { method: 'POST', headers: { ...HEADERS, ...headers }, body: JSON.stringify(message) })

async function openSession(cluster: Cluster): Promise<Headers> {
  const opened = await post(cluster, initialize())
  const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
  expect((await post(cluster, INITIALIZED, headers)).status).toBe(202)
  return headers
}

/** Sends one request to each process, and returns the statuses. */
const statuses = async (cluster: Cluster, headers: Headers): Promise<readonly number[]> => {
  const found: number[] = []
  for (const _ of cluster.nodes) found.push((await post(cluster, callTool('who'), headers)).status)
  return found
}

it('existing sessions continue, but new ones cannot be opened, while Redis is out of memory', async () => {
  const cluster = await startReplicas()
  const session = await openSession(cluster)
  expect(await statuses(cluster, session)).toEqual([200, 200, 200])
  await cluster.redis.command('CONFIG', 'SET', 'maxmemory', '1')
  for (const _ of cluster.nodes) {
    const refused = await post(cluster, initialize())
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
  }
  const count = callTool('count', { to: 2 }, { meta: { progressToken: 'count' } })
  const counted = await (await post(cluster, count, session)).text()
  expect(counted).toContain('"progress":2')
  expect(counted).toContain('counted to 2')
  // More than verifyMs has passed, so each process reads the session again.
  expect(await statuses(cluster, session)).toEqual([200, 200, 200])
  const ended = await fetch(cluster.url, { method: 'DELETE', headers: session })
  expect(ended.status).toBe(204)
  await vi.waitFor(async () => expect(await statuses(cluster, session)).toEqual([404, 404, 404]))
  await cluster.redis.command('CONFIG', 'SET', 'maxmemory', '0')
  await openSession(cluster)
})

it('all sessions end, and clients open new ones, after Redis restarts without its data', async () => {
  const cluster = await startReplicas()
  const session = await openSession(cluster)
  expect(await statuses(cluster, session)).toEqual([200, 200, 200])
  await cluster.redis.kill()
  await cluster.redis.restart()
  await vi.waitFor(async () => expect(await statuses(cluster, session)).toEqual([404, 404, 404]))
  await openSession(cluster)
})
