import { type Cluster, startCluster } from '@jetway-apps/test-support/cluster'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { NodeClient } from './client.ts'
import { SERVE_NODE } from './kills.ts'
import { keys, keysWithoutExpiry } from './monitor.ts'
import { Member, type Operation, OPERATIONS, operations } from './operations.ts'

const MEMBERS = 50
const PRINCIPALS = 3
const NODES = 3

export interface IsolationOptions {
  readonly runs: number
  /** The number of operations in one run. */
  readonly size: number
  /** The difference between the clocks of the first and the last node, in ms. @default 0 */
  readonly skewMs?: number
}

/**
 * Runs random operations in 50 concurrent sessions, including attacks on each other. Each client's data names
 * its owner.
 */
export function describeIsolation({ runs, size, skewMs = 0 }: IsolationOptions): void {
  const count = runs * size
  it(
    `isolates ${PRINCIPALS} principals in ${count} random operations (${MEMBERS} sessions, ${NODES} nodes, clocks ${skewMs} ms apart)`,
    { timeout: 60_000 + count * 40 },
    async ({ task }) => {
      const cluster = await startCluster(SERVE_NODE, 0)
      try {
        for (const skew of [-skewMs / 2, 0, skewMs / 2]) await cluster.start({ CLOCK_SKEW_MS: String(skew) })
        const world = await openAll(cluster)
        const done = new Set<string>()
        await fc.assert(
          fc.asyncProperty(
            fc.array(operations(MEMBERS, NODES), { minLength: size, maxLength: size }),
            async (all) => {
              for (const { does } of all) done.add(does)
              await perform(all, world)
            },
          ),
          // Shrinking the list would repeat all slow operations.
          { numRuns: runs, endOnFailure: true },
        )
        expect(done.size).toBe(Object.keys(OPERATIONS).length)
        expect(await keysWithoutExpiry(cluster.redis)).toEqual(await keys(cluster.redis, 'jw1:nodes:b:*'))
        for (const member of world.members) await member.leave()
        for (const client of [...world.members.map((member) => member.client), ...world.attackers])
          await client.delete(cluster.url)
        await expect.poll(() => keys(cluster.redis, 'jw1:nodes:[sxme]:*')).toEqual([])
      } finally {
        await cluster.stop()
      }
      Object.assign(task.meta, { figure: `${count} operations, no byte of another owner` })
    },
  )
}

interface World {
  readonly members: readonly Member[]
  /** One member for each principal. */
  readonly attackers: readonly NodeClient[]
  /** The URLs of the nodes. */
  readonly urls: readonly string[]
}

async function openAll({ nodes }: Cluster): Promise<World> {
  const urls = nodes.map(({ url }) => url)
  const members = Array.from({ length: MEMBERS }, (_, i) => new Member(`p${i % PRINCIPALS}`, `c${i}`))
  await Promise.all(members.map((member, i) => member.open(urls[i % NODES] ?? '')))
  const attackers = members
    .slice(0, PRINCIPALS)
    .map(({ principal }) => new NodeClient({ principal, client: 'evil' }))
  await Promise.all(attackers.map((attacker, i) => attacker.open(urls[i] ?? '')))
  return { members, attackers, urls }
}

/** Runs all members concurrently, each with its own sequence of operations. */
async function perform(all: readonly Operation[], { members, attackers, urls }: World): Promise<void> {
  await Promise.all(
    members.map(async (me, who) => {
      for (const { does, node, other, target: at } of all.filter((operation) => operation.who === who)) {
        const target = members[at] ?? me
        const attacker = attackers[at % PRINCIPALS]
        const [url, elsewhere] = [urls[node], urls[other]]
        if (attacker === undefined || url === undefined || elsewhere === undefined) throw new Error('No node')
        try {
          await OPERATIONS[does]({ me, target, attacker, url, other: elsewhere })
        } catch (cause) {
          throw new Error(`${me.tag} ${does}, at node ${node} and ${other}, with ${target.tag}`, { cause })
        }
      }
    }),
  )
}
