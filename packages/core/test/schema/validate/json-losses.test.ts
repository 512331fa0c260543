import { describe, expect, it } from 'vitest'
import { findJsonLoss } from '../../../src/schema/validate/json-losses.ts'

const MAX_DEPTH = 1_000

/** A Map inside as many lists or objects. */
function within(levels: number, wrap: (value: unknown) => unknown): unknown {
  let value: unknown = new Map()
  for (let level = 0; level < levels; level++) value = wrap(value)
  return value
}

describe('the search for what JSON loses', () => {
  it.each<[string, (value: unknown) => unknown]>([
    ['lists', (value) => [value]],
    ['objects', (value) => ({ value })],
  ])('ends after a thousand levels of %s', (_, wrap) => {
    expect(findJsonLoss(within(MAX_DEPTH, wrap))?.path).toHaveLength(MAX_DEPTH)
    expect(findJsonLoss(within(MAX_DEPTH + 1, wrap))).toBeUndefined()
  })

  it.each<[string, unknown]>([
    ['null', null],
    ['a text', 'x'],
    ['a function', () => new Map()],
    ['an object that says what it is in JSON, after a Map', { a: new Map(), toJSON: () => 1 }],
    ['an object that says what it is in JSON, before a Map', { toJSON: () => 1, a: new Map() }],
    ['a list of nothing', [null, undefined, 'x']],
    ['an object whose next is a function', { next: () => 1 }],
  ])('finds nothing in %s', (_, value) => {
    expect(findJsonLoss(value)).toBeUndefined()
  })

  it('finds the first loss, and a promise before it', () => {
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
