import { describe, expect, it } from 'vitest'
import {
  checkArray,
  checkNames,
  checkNumber,
  checkNumbers,
  typeName,
  withDefaults,
} from '../../src/util/check-options.ts'
import { MAX_TIMEOUT_MS } from '../../src/util/clock.ts'

const NAMES = {
  name: true,
  sessions: { ttlMs: true, max: true },
  limits: { maxTasks: true, inner: { depth: true } },
  clock: null,
}
const HINTS = { title: 'use name' }

describe('checkNames', () => {
  it.each([
    ['a value that is not an object', null, 'Options must be an object, not null'],
    ['a function', () => {}, 'Options must be an object, not function'],
    ['an unknown name', { qqqqqqqq: 1 }, 'The option qqqqqqqq is unknown. Use one of name, sessions, limits'],
    [
      'an unknown name in a group',
      { sessions: { q: 1 } },
      'The option sessions.q is unknown. Use one of ttlMs, max',
    ],
    ['a name only for tests', { clok: 1 }, 'The option clok is unknown. Use one of name, sessions, limits'],
    ['an inherited name', { toString: 1 }, 'The option toString is unknown. Use one of '],
    ['a name with a hint', { title: 1 }, 'The option title is unknown: use name'],
    ['a similar name', { nme: 1 }, 'The option nme is unknown. Did you mean name?'],
    [
      'a similar name in a group',
      { sessions: { maxi: 1 } },
      'sessions.maxi is unknown. Did you mean sessions.max?',
    ],
    ['a name from another group', { sessions: { maxTask: 1 } }, 'Did you mean limits.maxTasks?'],
    [
      'a name from a deeper group',
      { dept: 1 },
      'The option dept is unknown. Did you mean limits.inner.depth?',
    ],
    ['a group and its option joined into one word', { sessionTtlMs: 1 }, 'Did you mean sessions.ttlMs?'],
    [
      'a name from a nested group',
      { limits: { inner: { dept: 1 } } },
      'limits.inner.dept is unknown. Did you mean limits.inner.depth?',
    ],
    ['a number as a group', { limits: 5 }, 'The option limits must be an object'],
    ['null as a group', { limits: { inner: null } }, 'The option limits.inner must be an object'],
  ])('rejects %s', (_what, given, text) => {
    expect(() => checkNames(given, NAMES, HINTS)).toThrow(text)
  })

  it('accepts undefined options, and booleans in place of groups of options', () => {
    checkNames({}, NAMES)
    checkNames({ name: 1, unknown: undefined, limits: { inner: undefined }, clock: {} }, NAMES)
    checkNames({ sessions: false, limits: { inner: true } }, NAMES)
  })
})

describe('helpers for option values', () => {
  it.each([
    ['max', 1, true],
    ['max', Number.MAX_SAFE_INTEGER, true],
    ['ttlMs', MAX_TIMEOUT_MS, true],
    ['max', 0, false],
    ['max', 1.5, false],
    ['max', Number.NaN, false],
    ['max', '1', false],
    ['ttlMs', MAX_TIMEOUT_MS + 1, false],
  ])('`checkNumbers` accepts whole numbers within limits: %s = %s is valid: %s', (name, value, valid) => {
    const check = (): void => checkNumbers('sessions.', { first: 1, [name]: value })
    if (valid) check()
    else expect(check).toThrow(`The option sessions.${name} must be a whole number above 0`)
  })

  it('`checkNumber` states the maximum in the error for a time', () => {
    expect(() => checkNumber('ttlMs', 0)).toThrow('above 0 and at most 2147483647 [ERR_MCP_OPTION]')
    expect(() => checkNumber('max', 0)).toThrow('above 0 [ERR_MCP_OPTION]')
  })

  it('`checkArray` accepts only arrays and undefined', () => {
    for (const value of [undefined, [], ['a']]) checkArray('names', value, "['a']")
    for (const value of ['a', null, {}])
      expect(() => checkArray('names', value, "['a']")).toThrow(
        "The option names must be an array, such as ['a']",
      )
  })

  it('`withDefaults` adds defaults, and drops unknown options', () => {
    const given = { a: 0, b: undefined, d: 4 } as { readonly a: number }
    expect(withDefaults({ a: 1, b: 2, c: 3 }, given)).toEqual({ a: 0, b: 2, c: 3 })
  })

  it('`typeName` describes the type of a value', () => {
    expect([null, [], {}, 'a', undefined].map(typeName)).toEqual([
      'null',
      'an array',
      'object',
      'string',
      'undefined',
    ])
  })
})
