import { describe, expect, it } from 'vitest'
import { findJsonLoss } from '../../../src/schema/validate/json-losses.ts'

const MAX_DEPTH = 1_000

/** A Map nested in this many arrays or objects. */
function within(levels: number, wrap: (value: unknown) => unknown): unknown {
  let value: unknown = new Map()
  for (let level = 0; level < levels; level++) value = wrap(value)
  return value
}

describe('findJsonLoss', () => {
  it.each<[string, (value: unknown) => unknown]>([
    ['arrays', (value) => [value]],
    ['objects', (value) => ({ value })],
  ])('finds no loss below a thousand nested %s', (_, wrap) => {
    expect(findJsonLoss(within(MAX_DEPTH, wrap))?.path).toHaveLength(MAX_DEPTH)
    expect(findJsonLoss(within(MAX_DEPTH + 1, wrap))).toBeUndefined()
  })

  it.each<[string, unknown]>([
    ['null', null],
    ['a string', 'x'],
    ['a function', () => new Map()],
    ['an object with toJSON, followed by a Map', { a: new Map(), toJSON: () => 1 }],
    ['an object with toJSON, preceded by a Map', { toJSON: () => 1, a: new Map() }],
    ['an empty array', [null, undefined, 'x']],
    ['an object whose next is a function', { next: () => 1 }],
  ])('finds no loss in %s', (_, value) => {
    expect(findJsonLoss(value)).toBeUndefined()
  })

  it('returns the first value that JSON would lose, but gives promises priority', () => {
    const losses = { a: [1, new Map()], b: new Set() }
    expect(findJsonLoss(losses)).toMatchObject({
      path: ['a', 1],
      message: expect.stringMatching(/^is a Map/) as string,
    })
    // oxlint-disable-next-line unicorn/no-thenable
    expect(findJsonLoss({ ...losses, then: () => {} })).toMatchObject({
      path: [],
      message: 'is a promise; await it',
    })
  })
})
