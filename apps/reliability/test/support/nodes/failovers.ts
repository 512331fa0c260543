import { ping, slowness } from '@jetway-apps/test-support'
import { listening, type Serving, startNode } from '@jetway-apps/test-support/processes'
import { type RedisSentinels, type RedisServer, startRedisSentinels } from '@jetway-apps/test-support/redis'
import { expect, it, vi } from 'vitest'
import { note } from '../note.ts'
import { type Message, NodeClient, progressOf, type Reply, responseOf } from './client.ts'
import { SERVE_NODE } from './kills.ts'

/** The time limit for a request while there is no master, in ms. */
const REFUSAL_MS = 1_000
/** The time after a failover until everything must work again, in ms. */
const RECOVERY_MS = 5_000
/** The arguments of a call that takes longer than a failover. */
const LONG = { to: 400, everyMs: 20 }
/** The number of events to wait for before the next step. */
const SOME = 5

/** The figures of all failovers. */
interface Figures {
  refused: number
  refusalMs: number
  recoveryMs: number
  /** The number of cursors and sessions that the new master does not know. */
  unknown: number
}

/** One failover. */
interface Failover {
  /** The URLs of the nodes. */
  readonly urls: readonly [string, string]
  readonly sentinels: RedisSentinels
  readonly master: RedisServer
  readonly replica: RedisServer
  /** Whether the replica lacks the last confirmed writes. */
  readonly losing: boolean
  readonly figures: Figures
}

/**
 * Kills the Redis master `count` times. Every second time, the replica lacks the last writes. The server must
 * then refuse clients that depend on these writes, and must not send a stream with a gap.
 */
export function describeFailovers(count: number): void {
  it(
    `in each of ${count} failovers, nodes respond with 503 within 1 s, recover within 5 s and report possible gaps`,
    { timeout: 60_000 + count * 60_000 },
    async ({ task }) => {
      const sentinels = await startRedisSentinels()
      const figures: Figures = { refused: 0, refusalMs: 0, recoveryMs: 0, unknown: 0 }
      const nodes: Serving[] = []
      try {
        for (let i = 0; i < 2; i++) nodes.push(await startOver(sentinels))
        const urls = nodes.map(({ url }) => url) as unknown as Failover['urls']
        for (let i = 0; i < count; i++) {
          const [first, second] = sentinels.data as readonly [RedisServer, RedisServer]
          const [master, replica] =
            (await sentinels.master()) === first.port ? [first, second] : [second, first]
          await failOver({ urls, sentinels, master, replica, losing: i % 2 === 1, figures })
          await sentinels.rejoin(master)
        }
        for (const { process } of nodes) expect([process.exitCode, process.signalCode]).toEqual([null, null])
      } finally {
        await Promise.all(nodes.map((node) => node.stop('SIGKILL')))
        await sentinels.stop()
      }
      const { refused, refusalMs, recoveryMs, unknown } = figures
      note(
        task,
        `${count} failovers, ${refused} requests refused within ${Math.ceil(refusalMs)} ms, well after ${(recoveryMs / 1_000).toFixed(1)} s, ${unknown} lost positions and sessions refused`,
      )
    },
  )
}

/** Starts a node that reads the session's record for each request. */
async function startOver({ name, urls }: RedisSentinels): Promise<Serving> {
  const env = { REDIS_MASTER: name, REDIS_SENTINELS: urls.join(','), VERIFY_MS: '0' }
  return listening(startNode(SERVE_NODE, env))
}

async function failOver(failover: Failover): Promise<void> {
  const { urls, sentinels, master, replica, losing, figures } = failover
  const [url, other] = urls
  const client = await openAt(url)
  const done = await client.call(url, 'count', { to: SOME })
  await done.ended
  // The first client stays connected, the second has already disconnected, and the third reads until the master is
  // killed.
  const [staying, left, leaving] = await Promise.all([
    begin(client, url),
    begin(client, url),
    begin(client, url),
  ])
  await left.leave()
  await replicate(failover)
  if (losing) await stopReplicating(failover)
  const late = await openAt(url)
  const lateCall = await late.call(url, 'count', { to: SOME })
  await lateCall.ended
  const seen = leaving.messages.length
  await leaving.until(() => leaving.messages.length > seen + SOME)
  await leaving.leave()
  if (!losing) await replicate(failover)

  await master.kill()
  if (losing) replica.signal('SIGCONT')
  while ((await sentinels.master()) !== replica.port) await request(client, url, figures)
  await recover(client, failover)

  expect((await readOn(client, other, idsOf(done)[0])).messages).toHaveLength(SOME + 1)
  await staying.ended
  expectWhole(staying.messages)
  for (const { messages, lastId } of [left, leaving]) {
    const rest = await readOn(client, other, lastId)
    expectWhole([...messages, ...rest.messages], rest.refused)
    if (rest.refused) figures.unknown++
    else if (losing) expect(messages).not.toBe(leaving.messages)
  }
  const lateRest = await late.get(other, idsOf(lateCall)[0])
  await lateRest.ended
  expect(lateRest.status).toBe(losing ? 404 : 200)
  if (losing) figures.unknown++
  for (const one of losing ? [client] : [client, late]) await one.delete(url)
}

const openAt = (url: string): Promise<NodeClient> =>
  new NodeClient({ principal: 'ann', client: 'long' }).open(url)

async function begin(client: NodeClient, url: string): Promise<Reply> {
  const reply = await client.call(url, 'count', LONG)
  await reply.until(() => reply.messages.length > SOME)
  return reply
}

/** Resolves when the replica has all of the master's current data. */
async function replicate({ master, replica }: Failover): Promise<void> {
  const offset = async (server: RedisServer, name: string): Promise<number> =>
    Number(new RegExp(`${name}:(\\d+)`).exec(await server.command('INFO', 'replication'))?.[1])
  const written = await offset(master, 'master_repl_offset')
  await vi.waitFor(async () =>
    expect(await offset(replica, 'slave_repl_offset')).toBeGreaterThanOrEqual(written),
  )
}

/** Pauses replication until the replica is told to continue. */
async function stopReplicating({ master, replica }: Failover): Promise<void> {
  replica.signal('SIGSTOP')
  await master.command('CLIENT', 'KILL', 'TYPE', 'replica')
}

/** Sends a request that needs Redis. If it is refused, checks the refusal. Resolves to the status. */
async function request(client: NodeClient, url: string, figures: Figures): Promise<number> {
  const start = performance.now()
  const { status, headers } = await client.once(url, ping())
  const ms = performance.now() - start
  if (ms >= REFUSAL_MS) expect(ms).toBeLessThan(REFUSAL_MS * slowness().elapsed)
  if (status === 200) return status
  expect([status, headers['retry-after']]).toEqual([503, '1'])
  figures.refused++
  figures.refusalMs = Math.max(figures.refusalMs, ms)
  return status
}

async function recover(client: NodeClient, { urls, figures }: Failover): Promise<void> {
  const since = performance.now()
  await vi.waitFor(
    async () => {
      for (const url of urls) expect(await request(client, url, figures)).toBe(200)
    },
    { timeout: RECOVERY_MS },
  )
  figures.recoveryMs = Math.max(figures.recoveryMs, performance.now() - since)
}

/** Returns the ids of the events in a stream. */
const idsOf = ({ text }: Reply): readonly string[] =>
  [...text.matchAll(/^id: (.+)$/gm)].map(([, id = '']) => id)

interface Rest {
  readonly messages: readonly Message[]
  /** Whether the server no longer knows the position. */
  readonly refused: boolean
}

/** Resumes until the call has ended or its stream is refused. */
async function readOn(client: NodeClient, url: string, from: string | undefined): Promise<Rest> {
  const messages: Message[] = []
  let lastId = from
  while (responseOf(messages) === undefined) {
    const reply = await client.get(url, lastId)
    await reply.ended
    if (reply.status === 400) return { messages, refused: true }
    expect(reply.status).toBe(200)
    messages.push(...reply.messages)
    lastId = reply.lastId ?? lastId
  }
  return { messages, refused: false }
}

/**
 * Checks that each event and the response have arrived exactly once and in order, unless the client was told
 * about a gap.
 */
function expectWhole(messages: readonly Message[], refused = false): void {
  const progress = progressOf(messages)
  expect(progress).toEqual(progress.map((_, i) => i + 1))
  if (refused) return
  expect(progress).toHaveLength(LONG.to)
  expect(responseOf(messages)?.result).toBeDefined()
}
