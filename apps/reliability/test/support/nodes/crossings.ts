import { type Cluster, startCluster } from '@jetway-apps/test-support/cluster'
import { expect, it } from 'vitest'
import { note } from '../note.ts'
import { NodeClient } from './client.ts'
import { SERVE_NODE } from './kills.ts'

const AT_ONCE = 8

export interface CrossingsOptions {
  readonly count: number
  /** The time limit for one message, in ms. */
  readonly limitMs: number
}

/** Sends a message about a call to a node other than the call's own. Resolves to the elapsed time, in ms. */
type Cross = (client: NodeClient, urls: readonly [string, string], text: string) => Promise<number>

const CROSSINGS: Readonly<Record<'answers' | 'cancellations', readonly [Cross, outcome: string]>> = {
  answers: [
    async (client, [url, other], text) => {
      const reply = await client.call(url, 'ask', { text })
      const question = (): string | number | undefined =>
        reply.messages.find(({ method }) => method === 'elicitation/create')?.id
      await reply.until(() => question() !== undefined)
      const began = performance.now()
      const result = { action: 'accept', content: { answer: text } }
      await client.post(other, { jsonrpc: '2.0', id: question(), result })
      await reply.ended
      expect(reply.text).toContain(`${text}: ${text}`)
      return performance.now() - began
    },
    'answered',
  ],
  cancellations: [
    async (client, [url, other], text) => {
      const reply = await client.call(url, 'wait', { text })
      await reply.until(() => reply.messages.length > 0)
      const requestId = Number(String(reply.messages[0]?.params?.['progressToken']).slice('token '.length))
      const began = performance.now()
      await client.post(other, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
      await reply.ended
      return performance.now() - began
    },
    'cancelled',
  ],
}

/**
 * Sends answers and cancellations to nodes that are not running the call. Each must take effect exactly once.
 */
export function describeCrossings({ count, limitMs }: CrossingsOptions): void {
  it.for(Object.entries(CROSSINGS))(
    `applies each of ${count} %s sent to the wrong node exactly once, within ${limitMs} ms`,
    { timeout: 60_000 + count * 100 },
    async ([name, [cross, outcome]], { task }) => {
      const cluster = await startCluster(SERVE_NODE, 2)
      try {
        const took = await crossAll(cluster, cross, count)
        expect(Math.max(...took)).toBeLessThanOrEqual(limitMs)
        const sorted = took.toSorted((a, b) => a - b)
        const within = (part: number): string => `${sorted[Math.ceil(count * part) - 1]?.toFixed(1)} ms`
        note(task, `${name}: half within ${within(0.5)}, 99% within ${within(0.99)}`)
        const effects = (): string[] =>
          cluster.nodes.flatMap(({ running }) =>
            running.output.stdout.split('\n').filter((line) => line.includes(outcome)),
          )
        await expect.poll(() => effects().length).toBe(count)
        expect(new Set(effects()).size).toBe(count)
      } finally {
        await cluster.stop()
      }
    },
  )
}

async function crossAll({ nodes }: Cluster, cross: Cross, count: number): Promise<readonly number[]> {
  const [first = '', second = ''] = nodes.map(({ url }) => url)
  const took: number[] = []
  let next = 0
  await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, which) => {
      const client = await new NodeClient({ principal: 'ann', client: `c${which}` }).open(first)
      while (next < count) {
        const i = next++
        took.push(await cross(client, i % 2 === 0 ? [first, second] : [second, first], `number ${i};`))
      }
    }),
  )
  return took
}
