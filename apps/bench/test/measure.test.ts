import { expect, it } from 'vitest'
import { interleave, type Measured } from '../src/measure.ts'

const LATENCIES = Float64Array.of(1, 2, 3)

/** A server that spends so many µs on each request, on a machine whose mood is the same for all within a round. */
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

it('a ratio compares what was measured in the same round', async () => {
  const moods = [1, 1, 1, 1, 1, 7, 7, 7, 7, 3, 3, 3, 3]
  let runs = 0
  const mood = (): number => moods[runs++] ?? 1
  const rows = await interleave([fake('bare', undefined, 10, mood), fake('jetway', 'bare', 20, mood)], {
    rounds: 4,
    seconds: 1,
    warmRequests: 100,
  })
  expect(rows[0]).toMatchObject({ name: 'bare', requestsPerSecond: 100, p50Ms: 2, p99Ms: 3 })
  expect(rows[0]).not.toHaveProperty('ratio')
  expect(rows[1]).toMatchObject({ name: 'jetway', base: 'bare', ratio: 0.5 })
})

it('the best round is kept, which a busy machine has disturbed least', async () => {
  const moods = [1, 1, 1, 9, 1, 9, 9, 9]
  let runs = 0
  const mood = (): number => moods[runs++] ?? 1
  const rows = await interleave([fake('bare', undefined, 10, mood), fake('jetway', 'bare', 20, mood)], {
    rounds: 3,
    seconds: 1,
    warmRequests: 100,
  })
  expect(rows.map(({ leastCpuMicros }) => leastCpuMicros)).toEqual([10, 20])
})
