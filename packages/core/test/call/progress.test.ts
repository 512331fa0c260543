import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Progress, progressFault } from '../../src/call/progress.ts'

interface Params {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

const read = (frame: string | undefined): Params | undefined =>
  frame === undefined ? undefined : (JSON.parse(frame) as { params: Params }).params

const start = (): {
  report: (progress: number, total?: number, message?: string) => Params | undefined
  beat: () => Params | undefined
} => {
  const progress = new Progress('t', { hasMessage: true })
  return {
    report: (value, total, message) => read(progress.report(value, total, message)),
    beat: () => read(progress.keepalive()),
  }
}

describe("keepalives between a handler's reports, https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress", () => {
  it('start at 0 and increase by a millionth, without a total or message', () => {
    const { beat } = start()
    expect([beat(), beat(), beat()]).toEqual([
      { progressToken: 't', progress: 0 },
      { progressToken: 't', progress: 0.000001 },
      { progressToken: 't', progress: 0.000002 },
    ])
  })

  it('stay below the next value that the handler reports, which is sent unchanged', () => {
    const { report, beat } = start()
    beat()
    beat()
    expect(report(1, 3, 'one')).toEqual({ progressToken: 't', progress: 1, total: 3, message: 'one' })
    expect(beat()).toEqual({ progressToken: 't', progress: 1.000001, total: 3 })
    expect(report(2, 3)).toEqual({ progressToken: 't', progress: 2, total: 3 })
  })

  it('do not suppress a report whose value they have already passed', () => {
    const { report, beat } = start()
    beat()
    const first = report(0, 10, 'begun')
    expect(first).toMatchObject({ total: 10, message: 'begun' })
    expect(first?.progress).toBeGreaterThan(0)
    expect(first?.progress).toBeLessThan(1e-6)
    expect(report(1, 10)).toMatchObject({ progress: 1 })
  })

  it('stay below the total, and omit the total after the handler has reached it', () => {
    const { report, beat } = start()
    report(9.9999999, 10)
    for (let n = 0; n < 20; n++) expect(beat()?.progress).toBeLessThan(10)
    expect(report(10, 10)).toEqual({ progressToken: 't', progress: 10, total: 10 })
    expect(beat()).toEqual({ progressToken: 't', progress: 10.00001 })
  })

  it('increase even for clients with single-precision numbers', () => {
    const { report, beat } = start()
    for (const from of [0.3, 1, 7, 1e6, 3e9]) {
      report(from)
      expect(Math.fround(beat()?.progress ?? 0)).toBeGreaterThan(Math.fround(from))
    }
  })

  it('stop when there is no greater number', () => {
    const { report, beat } = start()
    report(Number.MAX_VALUE)
    expect(beat()).toBeUndefined()
  })

  it('always increase, and never suppress an increasing report', () => {
    const value = fc.oneof(fc.double(), fc.double({ min: 0, max: 1, noNaN: true }))
    const step = fc.oneof(fc.constant('beat' as const), fc.tuple(value, fc.option(value, { nil: undefined })))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { report, beat } = start()
        let own = Number.NEGATIVE_INFINITY
        let last = Number.NEGATIVE_INFINITY
        for (const next of steps) {
          const sent = next === 'beat' ? beat() : report(...next)
          if (next !== 'beat') {
            const grows = Number.isFinite(next[0]) && next[0] > own
            // Near the largest number, progress cannot grow any further.
            if (last < 1e300) expect(sent !== undefined).toBe(grows)
            if (grows) own = next[0]
          }
          if (sent === undefined) continue
          expect(sent.progress).toBeGreaterThan(last)
          last = sent.progress
        }
      }),
      {
        examples: [
          [
            [
              [Number.NaN, undefined],
              [0, undefined],
            ],
          ],
        ],
      },
    )
  })
})

it.each([
  [[1, undefined, undefined], undefined],
  [[1, 2, 'a'], undefined],
  [['50%', undefined, undefined], "'50%'"],
  [[1, 'half', undefined], "1, 'half'"],
  [[1, undefined, 5], '1, undefined, 5'],
  [[null, [], {}], 'null, an array, object'],
  [['x'.repeat(41), undefined, undefined], `'${'x'.repeat(40)}'`],
])(
  'with the arguments %j, progressFault returns the problem, if any',
  ([progress, total, message], given) => {
    const fault = progressFault(progress, total, message)
    if (given === undefined) expect(fault).toBeUndefined()
    else
      expect(fault).toMatch(
        new RegExp(`^ctx\\.progress takes a number, .*, not ctx\\.progress\\(${given}\\)$`),
      )
  },
)
