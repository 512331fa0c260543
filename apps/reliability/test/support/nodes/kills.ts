import { type ClusterNode, startCluster } from '@jetway-apps/test-support/cluster'
import { program } from '@jetway-tools/runtimes/program'
import { expect, it } from 'vitest'
import { type Message, NodeClient, progressOf, type Reply, responseOf } from './client.ts'

export const SERVE_NODE: readonly string[] = program(new URL('./serve-node.ts', import.meta.url))

/** The maximum time until a call ends with an error after its node was killed, in ms. */
const LIMIT_MS = 7_000
/** The number of calls on each node that is killed. */
const CALLS = 5
const EVENTS = 500

/** A call whose node will be killed. */
interface Interrupted {
  readonly client: NodeClient
  readonly reply: Reply
}

/**
 * Kills nodes while their calls report progress every few milliseconds. Each client resumes at the surviving
 * node, and receives the remaining stored events of its call, followed by an error.
 *
 * @param victims - the number of nodes to kill and start in each round
 */
export function describeKills(rounds: number, victims: number): void {
  const kills = rounds * victims
  it(
    `delivers each stored event once and in order, and ends each call, while ${kills} nodes are killed`,
    { timeout: 60_000 + rounds * 60_000 },
    async ({ task }) => {
      const cluster = await startCluster(SERVE_NODE, victims + 1)
      const took: number[] = []
      let events = 0
      try {
        // A node that has just joined does not take over anything, so the first round shows only that nothing
        // is lost.
        for (let round = 0; round <= rounds; round++) {
          const [survivor, ...others] = cluster.nodes as readonly [ClusterNode, ...ClusterNode[]]
          const outcomes = await killAll(others, survivor)
          for (const { messages, ms } of outcomes) {
            expectEnded(messages)
            events += messages.length
            if (round > 0) took.push(ms)
          }
          if (round < rounds) await Promise.all(others.map(() => cluster.start()))
        }
      } finally {
        await cluster.stop()
      }
      const slowest = Math.max(...took)
      expect(slowest).toBeLessThan(LIMIT_MS)
      const seconds = (slowest / 1_000).toFixed(1)
      Object.assign(task.meta, {
        figure: `${kills} kills, ${events} events, calls ended within ${seconds} s`,
      })
    },
  )
}

interface Ended {
  readonly messages: readonly Message[]
  /** Returns how long ago the call's node was killed. */
  readonly ms: number
}

async function killAll(nodes: readonly ClusterNode[], survivor: ClusterNode): Promise<readonly Ended[]> {
  const warm = await new NodeClient({ principal: 'ann', client: 'warm' }).open(survivor.url)
  await warm.delete(survivor.url)
  const outcomes = await Promise.all(
    nodes.map(async (node, which) => {
      const names = Array.from({ length: CALLS }, (_, i) => `${which}-${i}`)
      const calls = await Promise.all(names.map((name) => begin(node, name)))
      // Each call can be resumed for a different length of time.
      await Promise.all(
        calls.map(({ reply }, i) => reply.until(() => reply.messages.length > which + 10 * i)),
      )
      await node.kill()
      const killed = performance.now()
      return Promise.all(
        calls.map(async (call) => {
          const messages = await resume(call, survivor.url)
          const ms = performance.now() - killed
          await call.client.delete(survivor.url)
          return { messages, ms }
        }),
      )
    }),
  )
  return outcomes.flat()
}

async function begin({ url }: ClusterNode, name: string): Promise<Interrupted> {
  const client = await new NodeClient({ principal: 'ann', client: name }).open(url)
  return { client, reply: await client.call(url, 'count', { to: EVENTS, everyMs: 5 }) }
}

/** Resumes immediately after each disconnect, until the call has ended. */
async function resume({ client, reply }: Interrupted, url: string): Promise<readonly Message[]> {
  await reply.ended
  const messages = [...reply.messages]
  let { lastId } = reply
  while (responseOf(messages) === undefined) {
    const resumed = await client.get(url, lastId)
    await resumed.ended
    if (resumed.status !== 200) throw new Error(`Resuming was answered ${resumed.status}: ${resumed.text}`)
    messages.push(...resumed.messages)
    lastId = resumed.lastId ?? lastId
  }
  return messages
}

function expectEnded(messages: readonly Message[]): void {
  const progress = progressOf(messages)
  expect(progress).toEqual(progress.map((_, i) => i + 1))
  expect(messages.at(-1)?.error).toMatchObject({ code: -32603 })
  expect(messages).toHaveLength(progress.length + 1)
}
