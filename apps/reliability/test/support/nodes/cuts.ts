import { seeded } from '@jetway-apps/test-support'
import { startCluster } from '@jetway-apps/test-support/cluster'
import { expect, it } from 'vitest'
import { NodeClient, progressOf, responseOf } from './client.ts'
import { SERVE_NODE } from './kills.ts'

const EVENTS = 100
const AT_ONCE = 5
/**
 * The range of positions at which the client disconnects, in characters. It is the length of a few events, so
 * that most calls are interrupted several times.
 */
const SPREAD = 5_000

/** Calls tools with a client that disconnects at random positions, and resumes at a different node each time. */
export function describeNodeCuts(cuts: number): void {
  it(
    `delivers all ${EVENTS} events once and in order over ${cuts} connections that are cut at random and resumed on another node`,
    { timeout: 60_000 + cuts * 500 },
    async ({ task }) => {
      const cluster = await startCluster(SERVE_NODE, 3)
      let [made, calls] = [0, 0]
      try {
        const urls = cluster.nodes.map(({ url }) => url)
        await Promise.all(
          Array.from({ length: AT_ONCE }, async (_, which) => {
            const random = seeded(which)
            const client = await new NodeClient({ principal: 'ann', client: `c${which}` }).open(cluster.url)
            while (made < cuts) {
              made += await callAndResume(client, urls, random)
              calls++
            }
          }),
        )
      } finally {
        await cluster.stop()
      }
      Object.assign(task.meta, { figure: `${made} cuts of ${calls} calls, no event lost, doubled or moved` })
    },
  )
}

/** Returns how often the call was interrupted. */
async function callAndResume(
  client: NodeClient,
  urls: readonly string[],
  random: () => number,
): Promise<number> {
  const cutAfter = (): number | undefined => (random() < 0.9 ? 1 + Math.floor(random() * SPREAD) : undefined)
  let at = Math.floor(random() * urls.length)
  const urlOf = (): string => urls[at % urls.length] ?? ''
  const first = await client.call(urlOf(), 'count', { to: EVENTS }, {}, cutAfter())
  await first.ended
  const messages = [...first.messages]
  let { lastId } = first
  let cuts = 0
  while (responseOf(messages) === undefined) {
    cuts++
    at += 1 + Math.floor(random() * (urls.length - 1))
    const resumed = await client.get(urlOf(), lastId, cutAfter())
    await resumed.ended
    expect(resumed.status, resumed.text).toBe(200)
    messages.push(...resumed.messages)
    lastId = resumed.lastId ?? lastId
  }
  expect(progressOf(messages)).toEqual(Array.from({ length: EVENTS }, (_, i) => i + 1))
  expect(messages).toHaveLength(EVENTS + 1)
  return cuts
}
