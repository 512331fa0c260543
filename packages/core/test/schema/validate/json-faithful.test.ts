import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { isJsonFaithful } from '../../../src/schema/validate/json-faithful.ts'

class Point {
  x = 1
  get y(): number {
    return 2
  }
}
// oxlint-disable-next-line no-sparse-arrays
const sparse = [1, , 3]
const deep = (levels: number): unknown => {
  let value: unknown = 1
  for (let i = 0; i < levels; i++) value = { value }
  return value
}

/** Deep equality that ignores prototypes and treats -0 as 0, because no JSON Schema can distinguish them. */
function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  const [left, right] = [Object.entries(a), Object.entries(b)]
  return (
    Array.isArray(a) === Array.isArray(b) &&
    left.length === right.length &&
    left.every(([key, value], i) => right[i]?.[0] === key && isSame(value, right[i][1]))
  )
}

describe('isJsonFaithful', () => {
  it.each<[unknown]>([
    [null],
    [''],
    [0],
    [-0],
    [true],
    [[]],
    [{}],
    [{ a: [1, { b: null }] }],
    [Object.create(null)],
    [JSON.parse('{"__proto__":1,"constructor":2}')],
    [{ [Symbol('s')]: () => 1, a: 1 }],
  ])('accepts %#: %j', (value) => {
    expect(isJsonFaithful(value)).toBe(true)
    expect(isJsonFaithful([{ value }])).toBe(true)
  })

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['a bigint', 1n],
    ['a Date', new Date(0)],
    ['a Map', new Map()],
    ['a Set', new Set()],
    ['a class instance', new Point()],
    ['a boxed string', Object('x')],
    ['a typed array', new Uint8Array(1)],
    ['a sparse array', sparse],
    ['toJSON', { toJSON: () => 1 }],
    ["an array's toJSON", Object.assign([], { toJSON: () => 1 })],
    ['a deeply nested value', deep(10_000)],
  ])('rejects %s', (_, value) => {
    expect(isJsonFaithful(value)).toBe(false)
    expect(isJsonFaithful({ a: [value] })).toBe(false)
  })

  it('accepts at most 100 levels of nesting', () => {
    expect([deep(100), deep(101)].map((value) => isJsonFaithful(value))).toEqual([true, false])
    expect(isJsonFaithful([deep(99)])).toBe(true)
    expect(isJsonFaithful([deep(100)])).toBe(false)
  })

  it('accepts only values that survive a JSON round trip', () => {
    const anything = fc.anything({
      withDate: true,
      withMap: true,
      withSet: true,
      withSparseArray: true,
      withBoxedValues: true,
      withNullPrototype: true,
      withTypedArray: true,
    })
    fc.assert(
      fc.property(anything, (value) => {
        fc.pre(isJsonFaithful(value))
        const back = JSON.parse(JSON.stringify(value)) as unknown
        expect(isSame(value, back)).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})
