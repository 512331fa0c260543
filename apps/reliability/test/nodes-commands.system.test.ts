import { setTimeout as delay } from 'node:timers/promises'
import { MODERN, requestMeta } from '@jetway-apps/test-support'
import { type Cluster, startCluster } from '@jetway-apps/test-support/cluster'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NodeClient } from './support/nodes/client.ts'
import { SERVE_NODE } from './support/nodes/kills.ts'
import { keys, keysWithoutExpiry, Monitor } from './support/nodes/monitor.ts'

const CALLS = 50
const ANN = { principal: 'ann', client: 'counting' }

const modern = (client: NodeClient, url: string): Promise<unknown> =>
  client.post(
    url,
    {
      jsonrpc: '2.0',
      id: client.nextId(),
      method: 'tools/call',
      params: { name: 'echo', arguments: { text: 'x' }, _meta: requestMeta() },
    },
    { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': 'echo' },
  )

async function echo(client: NodeClient, url: string): Promise<void> {
  const reply = await client.call(url, 'echo', { text: 'x' })
  await reply.ended
  expect(reply.text).toContain('<ann/counting> x')
}

/** Opens a session. Resolves when all of its data is stored, which may be later than the replies. */
async function open(url: string): Promise<NodeClient> {
  const client = await new NodeClient(ANN).open(url)
  const params = { uri: 'note://ann' }
  const reply = await client.post(url, { jsonrpc: '2.0', id: 0, method: 'resources/subscribe', params })
  expect(reply.text).toContain('"result":{}')
  return client
}

async function times(count: number, run: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < count; i++) await run()
}

/** Counts commands, keyed by name. */
function tally(commands: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const command of commands) {
    const [name = ''] = command.split(' ')
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

describe('Redis commands', () => {
  let cluster: Cluster
  let monitor: Monitor
  let relaxed: string
  let strict: string

  beforeAll(async () => {
    cluster = await startCluster(SERVE_NODE, 1, { VERIFY_MS: '600000' })
    strict = (await cluster.start({ VERIFY_MS: '0' })).url
    relaxed = cluster.nodes[0]?.url ?? ''
    monitor = await new Monitor(cluster.redis).open()
    // Redis needs the full text of each script once.
    for (const url of [relaxed, strict])
      await (
        await (await new NodeClient(ANN).open(url)).call(url, 'count', { to: 2 })
      ).ended
  })
  afterAll(async () => {
    monitor?.close()
    await cluster?.stop()
  })

  it('are not sent for calls without a session', async () => {
    const client = new NodeClient(ANN)
    await modern(client, relaxed)
    expect(await monitor.requested(() => times(CALLS, () => modern(client, relaxed)))).toEqual([])
  })

  it('are limited to 4 when a session is opened', async () => {
    await open(relaxed)
    const commands = await monitor.requested(() => new NodeClient(ANN).open(relaxed))
    expect(commands.length, commands.join('\n')).toBeLessThanOrEqual(4)
  })

  it('are not sent for a call in a session that was read within `verifyMs`', async () => {
    const client = await open(relaxed)
    expect(await monitor.requested(() => times(CALLS, () => echo(client, relaxed)))).toEqual([])
  })

  it('are limited to one for any other call in a session', async () => {
    const client = await open(strict)
    expect(tally(await monitor.requested(() => times(CALLS, () => echo(client, strict))))).toEqual({
      get: CALLS,
    })
  })

  it("are limited to two plus one per event for a call's stream", async () => {
    const client = await open(relaxed)
    const commands = await monitor.requested(async () => {
      const reply = await client.call(relaxed, 'count', { to: CALLS, everyMs: 2 })
      await reply.ended
      expect(reply.messages).toHaveLength(CALLS + 1)
    })
    expect(commands.length, JSON.stringify(tally(commands))).toBeLessThanOrEqual(CALLS + 1 + 2)
  })

  it.each([
    ['awaited', true],
    ['not awaited', false],
  ])(
    'are limited to 3 for a stream of ten events sent in one turn of the event loop and %s',
    async (_, waits) => {
      const client = await open(relaxed)
      const commands = await monitor.requested(async () => {
        const reply = await client.call(relaxed, 'burst', { to: 10, waits })
        await reply.ended
        expect(reply.messages).toHaveLength(11)
      })
      expect(commands.length, commands.join('\n')).toBeLessThanOrEqual(3)
    },
  )

  it('are limited to 3 per second for an idle process', async () => {
    const seconds = 4
    const commands = await monitor.all(() => delay(seconds * 1_000))
    expect(commands.length, commands.join('\n')).toBeLessThanOrEqual(3 * seconds * cluster.nodes.length)
  })

  it("set an expiry on each key, and delete all of a session's keys on DELETE", async () => {
    const sessions = (): Promise<readonly string[]> => keys(cluster.redis, 'jw1:nodes:s:*')
    const before = await sessions()
    const client = await new NodeClient(ANN).open(relaxed)
    const [, session] = /({.*})/.exec((await sessions()).find((key) => !before.includes(key)) ?? '') ?? []
    const own = (): Promise<readonly string[]> => keys(cluster.redis, `*${session}*`)
    const stream = await client.get(strict)
    await (
      await client.call(strict, 'count', { to: 3 })
    ).ended
    await (
      await client.call(relaxed, 'job', { text: 'x' }, { task: {} })
    ).ended
    expect((await own()).length).toBeGreaterThan(3)
    expect(await keysWithoutExpiry(cluster.redis)).toEqual(await keys(cluster.redis, 'jw1:nodes:b:*'))
    expect((await client.delete(strict)).status).toBe(204)
    await stream.ended
    await expect.poll(own).toEqual([])
  })
})
