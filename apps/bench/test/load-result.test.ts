import { expect, it } from 'vitest'
import { Latencies, median, percentile } from '../src/load/load-result.ts'

it('median() returns the mean of the two middle values for an even number of values', () => {
  expect(median([9, 1, 5])).toBe(5)
  expect(median([4, 1, 3, 2])).toBe(2.5)
  expect(median([])).toBeNaN()
})

it('percentile() returns one of the measured values', () => {
  const latencies = new Latencies()
  for (let ms = 100; ms >= 1; ms--) latencies.add(ms)
  const sorted = latencies.sorted()
  expect(percentile(sorted, 0.5)).toBe(51)
  expect(percentile(sorted, 0.99)).toBe(100)
  expect(percentile(new Float64Array(), 0.5)).toBeUndefined()
})

it('Latencies can hold more values than its initial capacity', () => {
  const latencies = new Latencies()
  for (let i = 0; i < 70_000; i++) latencies.add(i)
  expect(latencies.sorted()).toHaveLength(70_000)
})
