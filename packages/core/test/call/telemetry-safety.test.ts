import { FakeClock } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { SafeTelemetry } from '../../src/call/observation/call-observers.ts'

describe('telemetry that throws', () => {
  const setUp = () => {
    const reported: unknown[] = []
    return { reported, safe: new SafeTelemetry(new FakeClock(), (error) => reported.push(error)) }
  }

  it('does not prevent later steps, and is reported once', () => {
    const { reported, safe } = setUp()
    const fail = (): never => {
      throw 'broken'
    }
    expect([safe.attempt(() => 1), safe.attempt(fail), safe.attempt(fail)]).toEqual([1, undefined, undefined])
    expect(reported).toEqual(['broken'])
  })

  it.each<[string, (step: () => void) => void]>([
    ['once', (step) => step()],
    ['twice', (step) => (step(), step())],
    ['never', () => {}],
    [
      'once and then throws',
      (step) => {
        step()
        throw 'broken'
      },
    ],
  ])('runs each step exactly once, even if it calls the step %s', (_what, run) => {
    const { safe } = setUp()
    let runs = 0
    expect(safe.within(run, () => ++runs)).toBe(1)
    expect(() =>
      safe.within(run, () => {
        throw `its own ${++runs}`
      }),
    ).toThrow('its own 2')
    expect(runs).toBe(2)
  })
})
