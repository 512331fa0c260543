import { expect, it } from 'vitest'
import { churn } from './support/churn.ts'

const CYCLES = 20_000
const ABANDONED = 2_000

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
  // 40 bytes for each session: not even its id stays.
  expect(left.grownByCycles).toBeLessThan(600_000)
  expect(left.grownByAbandoned).toBeLessThan(600_000)
})
