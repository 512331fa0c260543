import { FakeClock, settled } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { Deletions } from '../../../src/http/streams/deletions.ts'
import type { Logger } from '../../../src/util/logger.ts'

const silent: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

describe('Deletions', () => {
  it('drops the oldest deletion if more than 10,000 deletions are waiting for the store', async () => {
    const clock = new FakeClock()
    const deletions = new Deletions(clock, silent)
    const deleted: number[] = []
    let isDown = true
    for (let i = 0; i <= 10_000; i++)
      void deletions.run(() => {
        if (isDown) throw new Error('down')
        deleted.push(i)
      })
    isDown = false
    await clock.advance(1_000)
    await settled()
    expect([deleted.length, deleted[0], deleted.at(-1)]).toEqual([10_000, 1, 10_000])
    expect(clock.pending).toBe(0)
  })

  it('retries the other deletions even if one always fails', async () => {
    const clock = new FakeClock()
    const deletions = new Deletions(clock, silent)
    const deleted: number[] = []
    let isDown = true
    for (let i = 0; i < 3; i++)
      void deletions.run(() => {
        if (isDown || i === 0) throw new Error('refused')
        deleted.push(i)
      })
    isDown = false
    await clock.advance(2_000)
    await settled()
    expect(deleted).toEqual([1, 2])
    deletions.close()
  })
})
