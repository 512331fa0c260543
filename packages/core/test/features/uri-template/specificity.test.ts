import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareSpecificity, parseUriTemplate } from '../../../src/features/uri-template/uri-template.ts'

describe('compareSpecificity', () => {
  const ordered = [
    'files://static/{name}',
    'files://{dir}/{name}',
    'files://{dir}{/name}',
    'files://{name}',
    'files://{+path}',
    'files://{a}{b}',
    'files://{a}{b}{c}{d}',
    'files://{name}{?q}',
    'files://{+path}{?q}',
    'files://{+path}{#at}',
    '{name}',
    '{other}',
    '{+name}',
  ]

  it('puts templates with more literal characters first, then those with fewer variables', () => {
    const expected = [
      'files://static/{name}',
      'files://{dir}/{name}',
      'files://{name}',
      'files://{+path}',
      'files://{a}{b}',
      'files://{dir}{/name}',
      'files://{name}{?q}',
      'files://{+path}{?q}',
      'files://{+path}{#at}',
      'files://{a}{b}{c}{d}',
      '{name}',
      '{other}',
      '{+name}',
    ]
    const sorted = ordered.map(parseUriTemplate).toSorted(compareSpecificity)
    expect(sorted.map((one) => one.template)).toEqual(expected)
  })

  it('sorts templates the same way, regardless of the order of registration', () => {
    const reference = ordered.map(parseUriTemplate).toSorted(compareSpecificity)
    fc.assert(
      fc.property(fc.shuffledSubarray(reference, { minLength: reference.length }), (shuffled) => {
        expect(shuffled.toSorted(compareSpecificity)).toEqual(reference)
      }),
    )
  })

  it('returns 0 only for identical templates', () => {
    const [a, b] = [parseUriTemplate('x://{a}'), parseUriTemplate('x://{b}')]
    expect(compareSpecificity(a, parseUriTemplate('x://{a}'))).toBe(0)
    expect(compareSpecificity(a, b)).toBeLessThan(0)
    expect(compareSpecificity(b, a)).toBeGreaterThan(0)
  })
})
