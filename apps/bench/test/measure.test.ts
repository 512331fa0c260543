import { expect, it } from 'vitest'
import { interleave, type Measured, together } from '../src/measure.ts'
import { summarise } from '../src/summary.ts'

const TIMING = { seconds: 1, warmRequests: 100, profiles: 0 }
const LATENCIES = Float64Array.of(1, 2, 3)

/** A simulated server that needs this many µs per request, on a machine whose speed is constant within a round. */
function fake(name: string, base: string | undefined, micros: number, mood: () => number): Measured {
  let spent = 0
  return {
    server: {
      contender: { name, title: name, program: name, ...(base === undefined ? {} : { base }) },
      cpuMicros: async () => spent,
      profile: async (work) => {
        await work()
        return { busy: micros, write: 5 }
      },
    },
    load: async (seconds) => {
      spent += 100 * micros * mood()
      return { completed: 100, seconds, latencies: LATENCIES }
    },
  }
}

it('interleave() runs all contenders in each round, and summarise() compares only results from the same round', async () => {
  const moods = [1, 1, 1, 1, 1, 7, 7, 7, 7, 3, 3, 3, 3]
  let turn = 0
  const mood = (): number => moods[turn++] ?? 1
  const runs = await interleave([fake('bare', undefined, 10, mood), fake('jetway', 'bare', 20, mood)], {
    ...TIMING,
    rounds: 4,
  })
  const rows = summarise([runs])
  expect(rows[0]).toMatchObject({ name: 'bare', requestsPerSecond: 100, p50Ms: 2, p99Ms: 3 })
  expect(rows[0]).not.toHaveProperty('byCpu')
  expect(rows[1]).toMatchObject({ name: 'jetway', base: 'bare', byCpu: { ratio: 0.5 } })
})

it('interleave() takes profiles after all other rounds, and summarise() compares the CPU time per write', async () => {
  const all = [fake('bare', undefined, 10, () => 1), fake('jetway', 'bare', 12.5, () => 1)]
  const rows = summarise([await interleave(all, { ...TIMING, rounds: 1, profiles: 2 })])
  expect(rows[0]).toMatchObject({ perWrite: 2 })
  expect(rows[1]).toMatchObject({ perWrite: 2.5, byWrite: { ratio: 0.8 } })
})

it('together() puts load on all contenders at the same time', async () => {
  let loaded = 0
  let mostLoaded = 0
  const watched = (name: string): Measured => {
    const { server, load } = fake(name, undefined, 10, () => 1)
    return {
      server,
      load: async (seconds) => {
        mostLoaded = Math.max(mostLoaded, ++loaded)
        await Promise.resolve()
        loaded--
        return load(seconds)
      },
    }
  }
  const all = [watched('one'), watched('two'), watched('three')]
  const runs = await together(all, { ...TIMING, rounds: 2 })
  expect(mostLoaded).toBe(3)
  expect(runs.map(({ samples }) => samples.length)).toEqual([2, 2, 2])
})

it('summarise() reports the best round', async () => {
  const moods = [1, 1, 1, 9, 1, 9, 9, 9]
  let turn = 0
  const mood = (): number => moods[turn++] ?? 1
  const runs = await interleave([fake('bare', undefined, 10, mood), fake('jetway', 'bare', 20, mood)], {
    ...TIMING,
    rounds: 3,
  })
  expect(summarise([runs]).map(({ leastCpuMicros }) => leastCpuMicros)).toEqual([10, 20])
})
