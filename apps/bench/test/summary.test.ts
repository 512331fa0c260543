import { expect, it } from 'vitest'
import type { Run } from '../src/measure.ts'
import { summarise } from '../src/summary.ts'

/** The results of one start: for each contender, the time per request in each round, in µs. */
const started = (micros: Readonly<Record<string, readonly number[]>>): Run[] =>
  Object.entries(micros).map(([name, all]) => ({
    contender: { name, title: name, program: name, ...(name === 'bare' ? {} : { base: 'bare' }) },
    samples: all.map((cpuMicros) => ({ requestsPerSecond: 100, cpuMicros, p50Ms: 1, p99Ms: 1 })),
    perWrite: [],
  }))

it('summarise() reports a slow start, but excludes it from the ratio', () => {
  const [, jetway] = summarise([
    started({ bare: [10, 10, 10], jetway: [20, 20, 20] }),
    started({ bare: [10, 10, 10], jetway: [12.5, 12.5, 12.5] }),
    started({ bare: [12, 12, 12], jetway: [15, 15, 15] }),
  ])
  expect(jetway).toMatchObject({ byCpu: { ratio: 0.8, between: [0.5, 0.8] }, leastCpuMicros: 12.5 })
})

it('summarise() compares a contender only with the baseline from the same start', () => {
  const rows = summarise([started({ bare: [10], slow: [100] }), started({ bare: [20] })])
  expect(rows[1]).toMatchObject({ name: 'slow', byCpu: { ratio: 0.1 }, byRate: { ratio: 1 } })
  expect(rows[1]?.byCpu).not.toHaveProperty('between')
  expect(rows[1]).not.toHaveProperty('byWrite')
})

it('summarise() omits the ratio if the baseline did not run', () => {
  const [alone] = summarise([started({ jetway: [10] }), started({ jetway: [20] })])
  expect(alone).toMatchObject({ name: 'jetway', cpuMicros: 15 })
  expect(alone).not.toHaveProperty('base')
})
