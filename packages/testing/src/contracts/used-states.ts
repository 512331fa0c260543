import type { UsedStates } from '@jetway/core/stores'
import { describe, expect, it } from 'vitest'

/** An empty set of used states for one test, and its clock. */
export interface UsedStatesSubject {
  /** Each process's view of the same states. In a single process, all views are the same object. */
  readonly nodes: readonly [UsedStates, ...UsedStates[]]
  /** The current time of the store, in ms since 1970. */
  readonly now: () => number
}

/** The limits on used states that the contract sets. */
export interface UsedStatesLimits {
  /** The maximum number of states, whether they belong to one principal or to several. */
  readonly max: number
}

/** Creates an empty set of used states for each test. */
export type CreateUsedStates = (limits?: UsedStatesLimits) => UsedStatesSubject | Promise<UsedStatesSubject>

const ALICE = 'alice'
/** The limit that the tests set. Because they use {@link USED} states, some are dropped. */
const MAX = 8
const USED = 3 * MAX

/** The contract of UsedStates, as Vitest tests. Calls `create` for each of them. */
export function describeUsedStates(name: string, create: CreateUsedStates): void {
  describe(`single-use states: ${name}`, () => {
    it('are accepted only once, on any node', async () => {
      const { nodes, now } = await create()
      const expiresAt = now() + 60_000
      const [first] = nodes
      const last = nodes.at(-1) ?? first
      expect(await first.take('nonce-1', expiresAt, ALICE)).toBe(true)
      expect(await last.take('nonce-1', expiresAt, ALICE)).toBe(false)
      expect(await first.take('nonce-1', expiresAt, ALICE)).toBe(false)
      expect(await last.take('nonce-2', expiresAt, ALICE)).toBe(true)
    })

    it('are accepted only once, even in concurrent calls', async () => {
      const { nodes, now } = await create()
      const expiresAt = now() + 60_000
      const taken = await Promise.all(
        Array.from({ length: 20 }, async (_, i) => nodes[i % nodes.length]?.take('nonce', expiresAt, ALICE)),
      )
      expect(taken.filter((one) => one)).toHaveLength(1)
    })

    it('are never accepted twice, even after the oldest states have been dropped', async () => {
      const { nodes, now } = await create({ max: MAX })
      const [states] = nodes
      const first = now() + 60_000
      const take = (i: number): unknown => states.take(`nonce-${i}`, first + i, ALICE)
      for (let i = 0; i < USED; i++) expect(await take(i)).toBe(true)
      for (let i = 0; i < USED; i++) expect(await take(i)).toBe(false)
      expect(await states.take('as-old-as-the-first', first, ALICE)).toBe(false)
      expect(await take(USED)).toBe(true)
    })

    it('do not displace the states of other principals, regardless of how many one principal uses', async () => {
      const { nodes, now } = await create({ max: MAX })
      const [states] = nodes
      const first = now() + 60_000
      expect(await states.take('of-bob-1', first, 'bob')).toBe(true)
      for (let i = 0; i < USED; i++) expect(await states.take(`nonce-${i}`, first + 1 + i, ALICE)).toBe(true)
      expect(await states.take('of-bob-1', first, 'bob')).toBe(false)
      expect(await states.take('of-bob-2', first, 'bob')).toBe(true)
      expect(await states.take('of-bob-2', first, 'bob')).toBe(false)
    })
  })
}
