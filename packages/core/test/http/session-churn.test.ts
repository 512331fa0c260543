import { expect, it } from 'vitest'
import { churn } from './support/churn.ts'

const CYCLES = 2_000
const ABANDONED = 400

it('nothing is left of sessions that were deleted or abandoned', { timeout: 120_000 }, async () => {
  const left = await churn(CYCLES, ABANDONED)
  expect(left).toMatchObject({
    opened: CYCLES + ABANDONED,
    closed: CYCLES + ABANDONED,
    alive: ABANDONED,
    records: 0,
    events: { streams: 0, bytes: 0 },
    timers: 0,
  })
  // 1 KB for each session, which is less than one that stays.
  expect(left.grownByCycles).toBeLessThan(1_500_000)
  expect(left.grownByAbandoned).toBeLessThan(1_500_000)
})
