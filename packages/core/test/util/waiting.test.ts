import { FakeClock } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { PendingWork } from '../../src/util/pending-work.ts'
import { ThrottledLog } from '../../src/util/throttled-log.ts'

describe('flushing on close', () => {
  it('waits until everything has been sent', async () => {
    const clock = new FakeClock()
    const outstanding = new PendingWork(clock)
    await outstanding.flushed()
    let flushed = 0
    for (let i = 0; i < 2; i++) outstanding.begin()
    const waits = [1, 2].map(async () => {
      await outstanding.flushed()
      flushed++
    })
    outstanding.end()
    await clock.advance(999)
    expect([flushed, clock.pending]).toEqual([0, 2])
    outstanding.end()
    await Promise.all(waits)
    expect([flushed, clock.pending]).toEqual([2, 0])
  })

  it('waits for at most a second', async () => {
    const clock = new FakeClock()
    const outstanding = new PendingWork(clock)
    outstanding.begin()
    let flushed = false
    void outstanding.flushed().then(() => (flushed = true))
    await clock.advance(999)
    expect(flushed).toBe(false)
    await clock.advance(1)
    expect(flushed).toBe(true)
  })
})

it('`ThrottledLog` logs a repeated problem at most once every ten minutes, with the number of skipped lines', async () => {
  const clock = new FakeClock()
  const rare = new ThrottledLog(clock)
  const logged: number[] = []
  const problem = (): void => rare.log((skipped) => logged.push(skipped))
  problem()
  expect(logged).toEqual([0])
  problem()
  await clock.advance(599_999)
  problem()
  expect(logged).toEqual([0])
  await clock.advance(1)
  problem()
  await clock.advance(600_000)
  problem()
  expect(logged).toEqual([0, 2, 0])
})
