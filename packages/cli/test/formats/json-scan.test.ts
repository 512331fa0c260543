import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkStrict, parseText } from '../../src/formats/json-scan.ts'

const succeeds = (run: () => unknown): boolean => {
  try {
    run()
    return true
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError)
    return false
  }
}

/** Fragments of valid JSON, and fragments that make it invalid. */
const PIECES = [
  '"',
  '\\',
  '\\u12',
  '\\n',
  '\n',
  '\t',
  '\u0000',
  ',',
  ':',
  '{',
  '}',
  '[',
  ']',
  '/',
  '0',
  '.',
  'e',
  'tru',
  '\uFEFF',
]

const broken = fc
  .tuple(fc.json({ maxDepth: 4 }), fc.nat(), fc.nat(4), fc.constantFrom(...PIECES), fc.boolean())
  .map(([json, at, removed, piece, long]) => {
    const text = long ? JSON.stringify({ [json.repeat(3)]: json.repeat(3) }) : json
    const place = at % (text.length + 1)
    return text.slice(0, place) + piece + text.slice(place + removed)
  })

describe('checkStrict', () => {
  it('accepts the same input as JSON.parse', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), broken), (text) => {
        expect(
          succeeds(() => checkStrict(text)),
          text,
        ).toBe(succeeds(() => JSON.parse(text)))
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('parseText', () => {
  it('returns the same values as JSON.parse', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), broken), (text) => {
        if (succeeds(() => JSON.parse(text))) expect(parseText(text)).toEqual(JSON.parse(text))
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    ['// a\n{"b": [1, /* "c" */ 2,],} // d', { b: [1, 2] }],
    ['["//", "/*", "\\"//\\\\"]', ['//', '/*', '"//\\']],
    ['/**/', undefined],
    [' \r\n\t', undefined],
    ['1//', 1],
  ])('accepts comments and trailing commas: %j', (text, value) => {
    expect(parseText(text)).toEqual(value)
  })

  it.each([
    ['[,]', 'line 1, column 2'],
    ['{,}', 'line 1, column 2'],
    ['[1,,]', 'line 1, column 4'],
    ['[1] /', 'line 1, column 5'],
    ['/* a', 'line 1, column 1'],
    ['{"a" 1}', 'line 1, column 6'],
    ['{"a": "b', 'line 1, column 9'],
    ['["a"\n"b"]', 'line 2, column 1'],
    [`["${'x'.repeat(40)}\\x"]`, 'line 1, column 2'],
  ])('reports the position of the error in %j', (text, place) => {
    expect(() => parseText(text)).toThrow(`Invalid JSON at ${place}`)
  })
})
