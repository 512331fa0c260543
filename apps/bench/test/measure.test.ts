import { expect, it } from 'vitest'
import { interleave, type Measured, type Run, summarise } from '../src/measure.ts'

const LATENCIES = Float64Array.of(1, 2, 3)

/** A server with this time per request in µs, on a machine with constant speed within a round. */
function fake(name: string, base: string | undefined, micros: number, mood: () => number): Measured {
  let spent = 0
  return {
    server: {
      contender: { name, title: name, program: name, ...(base === undefined ? {} : { base }) },
      cpuMicros: async () => spent,
    },
    load: async (seconds) => {
      spent += 100 * micros * mood()
      return { completed: 100, seconds, latencies: LATENCIES }
    },
  }
}

it('interleave runs contenders in rounds, and summarise compares only results from the same round', async () => {
  const moods = [1, 1, 1, 1, 1, 7, 7, 7, 7, 3, 3, 3, 3]
  let turn = 0
  const mood = (): number => moods[turn++] ?? 1
  const runs = await interleave([fake('bare', undefined, 10, mood), fake('jetway', 'bare', 20, mood)], {
    rounds: 4,
    seconds: 1,
    warmRequests: 100,
  })
  const rows = summarise([runs])
  expect(rows[0]).toMatchObject({ name: 'bare', requestsPerSecond: 100, p50Ms: 2, p99Ms: 3 })
  expect(rows[0]).not.toHaveProperty('ratio')
  expect(rows[1]).toMatchObject({ name: 'jetway', base: 'bare', ratio: 0.5 })
})

it('summarise reports the best round', async () => {
  const moods = [1, 1, 1, 9, 1, 9, 9, 9]
  let turn = 0
  const mood = (): number => moods[turn++] ?? 1
  const runs = await interleave([fake('bare', undefined, 10, mood), fake('jetway', 'bare', 20, mood)], {
    rounds: 3,
    seconds: 1,
    warmRequests: 100,
  })
  expect(summarise([runs]).map(({ leastCpuMicros }) => leastCpuMicros)).toEqual([10, 20])
})

/** One start: the µs of each round for each contender. */
const started = (micros: Readonly<Record<string, readonly number[]>>): Run[] =>
  Object.entries(micros).map(([name, all]) => ({
    contender: { name, title: name, program: name, ...(name === 'bare' ? {} : { base: 'bare' }) },
    samples: all.map((cpuMicros) => ({ requestsPerSecond: 1, cpuMicros, p50Ms: 1, p99Ms: 1 })),
  }))

it('summarise reports a slow start, but excludes it from the ratio', () => {
  const [, jetway] = summarise([
    started({ bare: [10, 10, 10], jetway: [20, 20, 20] }),
    started({ bare: [10, 10, 10], jetway: [12.5, 12.5, 12.5] }),
    started({ bare: [12, 12, 12], jetway: [15, 15, 15] }),
  ])
  expect(jetway).toMatchObject({ ratio: 0.8, between: [0.5, 0.8], leastCpuMicros: 12.5 })
})

it('summarise compares a contender that started once with the baseline from the same start', () => {
  const rows = summarise([started({ bare: [10], slow: [100] }), started({ bare: [20] })])
  expect(rows[1]).toMatchObject({ name: 'slow', ratio: 0.1 })
  expect(rows[1]).not.toHaveProperty('between')
})

it('summarise omits the ratio if the baseline was not run', () => {
  const [alone] = summarise([started({ jetway: [10] }), started({ jetway: [20] })])
  expect(alone).toMatchObject({ name: 'jetway', cpuMicros: 15 })
  expect(alone).not.toHaveProperty('ratio')
})
