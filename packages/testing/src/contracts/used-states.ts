import type { UsedStates } from '@jetway/core/stores'
import { describe, expect, it } from 'vitest'

/** The used states of a test, none yet, and their clock. */
export interface UsedStatesSubject {
  /** Each process's view of the same states. In one process they are the same object. */
  readonly nodes: readonly [UsedStates, ...UsedStates[]]
  /** The time of the store, in ms since 1970. */
  readonly now: () => number
}

/** Creates used states for each test. */
export type CreateUsedStates = () => UsedStatesSubject | Promise<UsedStatesSubject>

/** The contract of UsedStates, as Vitest tests. Calls `create` for each of them. */
export function describeUsedStates(name: string, create: CreateUsedStates): void {
  describe(`used states: ${name}`, () => {
    it('are used once, at whichever node', async () => {
      const { nodes, now } = await create()
      const expiresAt = now() + 60_000
      const [first] = nodes
      const last = nodes.at(-1) ?? first
      expect(await first.take('nonce-1', expiresAt)).toBe(true)
      expect(await last.take('nonce-1', expiresAt)).toBe(false)
      expect(await first.take('nonce-1', expiresAt)).toBe(false)
      expect(await last.take('nonce-2', expiresAt)).toBe(true)
    })

    it('are used once although many try at the same time', async () => {
      const { nodes, now } = await create()
      const expiresAt = now() + 60_000
      const taken = await Promise.all(
        Array.from({ length: 20 }, async (_, i) => nodes[i % nodes.length]?.take('nonce', expiresAt)),
      )
      expect(taken.filter((one) => one)).toHaveLength(1)
    })
  })
}
