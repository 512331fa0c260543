import { expect, it } from 'vitest'
import { isHeavy, slowest } from '../src/check.ts'
import { JETWAY, OFFICIAL } from '../src/imports.ts'
import type { Row } from '../src/summary.ts'

function rows(bare: number, jetway: number): Row[] {
  const shared = { requestsPerSecond: 1, p50Ms: 1, p99Ms: 1, cpuMicros: 1 }
  return [
    { ...shared, name: 'bare', title: 'bare', leastCpuMicros: bare },
    { ...shared, name: 'jetway', title: 'Jetway', leastCpuMicros: jetway, base: 'bare' },
  ]
}

it('slowest() returns a server whose rate is less than 0.6 times the rate of the bare framework', () => {
  expect(slowest(rows(12, 20), new Map())).toEqual([])
  expect(slowest(rows(11, 20), new Map())).toEqual(['Jetway (0.55)'])
})

it("slowest() compares the server's best round with the baseline's best round, across all attempts", () => {
  const best = new Map<string, number>()
  expect(slowest(rows(20, 40), best)).toEqual(['Jetway (0.50)'])
  expect(slowest(rows(10, 20), best)).toEqual(['Jetway (0.50)'])
  expect(slowest(rows(50, 15), best)).toEqual([])
})

it('slowest() includes a server that was not measured', () => {
  expect(slowest(rows(Number.NaN, Number.NaN), new Map())).toEqual(['Jetway (NaN)'])
})

it('isHeavy() returns true if importing Jetway costs more than importing the official SDK, or was not measured', () => {
  const imports = (jetway: number, official: number): Parameters<typeof isHeavy>[0] => [
    { name: JETWAY, title: 'Jetway', files: 1, cpuMs: jetway },
    { name: OFFICIAL, title: 'official', files: 1, cpuMs: official },
  ]
  expect(isHeavy(imports(40, 130))).toBe(false)
  expect(isHeavy(imports(131, 130))).toBe(true)
  expect(isHeavy([])).toBe(true)
})
