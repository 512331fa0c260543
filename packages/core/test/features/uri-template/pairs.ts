import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeValue } from '../../../src/features/uri-template/compile.ts'
import { parseUriTemplate, type UriTemplate } from '../../../src/features/uri-template/uri-template.ts'
import { expandUriTemplate } from './expand.ts'

export const isAllowed = (value: string, shape: 'segment' | 'path'): boolean => {
  try {
    return decodeValue(encodeURIComponent(value), shape, Infinity) === value
  } catch {
    return false
  }
}

const brief = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom(...Array.from("ab/.\\%:?#[]@!$&'()*+,;= é😀25Fef~-_{}")),
    maxLength: 12,
  }),
)
/**
 * One string in ten is long. With more of them, URIs would often exceed the limit of 8,192 characters,
 * because a single character of a value may take up twelve.
 */
export const text: fc.Arbitrary<string> = fc
  .tuple(brief, fc.constantFrom(...Array.from({ length: 9 }, () => 1), 40))
  .map(([value, times]) => value.repeat(times))
export const segment: fc.Arbitrary<string> = text.filter(
  (value) => value !== '' && isAllowed(value, 'segment'),
)
/** Dots separate labels, so a label cannot contain them. */
const label = segment.filter((value) => !value.includes('.'))
const query = text.filter((value) => isAllowed(value, 'path'))
/**
 * Excludes the characters that reserved expansion leaves unencoded, because they could not be distinguished
 * from the template's own text.
 */
const path = query.filter((value) => value !== '' && !/[?#,]|%[0-9a-f]{2}/i.test(value))

interface Piece {
  readonly template: string
  readonly values: Record<string, string | string[]>
}

/** Generates an expression that can unambiguously follow any other, with a value that it allows. */
const piece = (index: number): fc.Arbitrary<Piece> => {
  const name = `v${index}`
  const one = (template: string, value: fc.Arbitrary<string | string[]>): fc.Arbitrary<Piece> =>
    value.map((chosen) => ({ template, values: { [name]: chosen } }))
  const list = (item: fc.Arbitrary<string>): fc.Arbitrary<string[]> =>
    fc.array(item, { minLength: 1, maxLength: 4 })
  return fc.oneof(
    one(`/{${name}}`, segment),
    one(`{/${name}}`, segment),
    one(`/{${name}*}`, list(segment)),
    one(`/x{.${name}*}`, list(label)),
    one(`/x{.${name}}`, segment),
    one(`/x{;${name}}`, segment),
    one(`/x{;${name}*}`, list(segment)),
    fc
      .tuple(segment, segment)
      .map(([a, b]) => ({ template: `/{${name}a,${name}b}`, values: { [`${name}a`]: a, [`${name}b`]: b } })),
  )
}

const tail: fc.Arbitrary<Piece> = fc.oneof(
  fc.constant({ template: '', values: {} }),
  path.map((value) => ({ template: '/{+rest}', values: { rest: value } })),
  fc.array(segment, { maxLength: 4 }).map((value) => ({ template: '{/rest*}', values: { rest: value } })),
)

const queryTail: fc.Arbitrary<Piece> = fc.oneof(
  fc.constant({ template: '{?q,l*}', values: {} }),
  query.map((value) => ({ template: '{?q,l*}', values: { q: value } })),
  fc
    .tuple(query, fc.array(query, { minLength: 1, maxLength: 3 }))
    .map(([q, l]) => ({ template: '{?q,l*}', values: { q, l } })),
  fc.tuple(query, path).map(([q, f]) => ({ template: '{?q}{#f}', values: { q, f } })),
  query.map((value) => ({ template: '?fixed=yes{&q}', values: { q: value } })),
)

const MAX_URI = 8_192
/** The time limit of one match. */
const MAX_MS = 50
/** A match that takes less CPU time is not measured again. */
const QUICK_MS = 2
const HOUR = 3_600_000

/** Defines a test that a template matches this many URIs, and returns their values, each within the time limit. */
export function itMatchesPairs(pairs: number): void {
  it('returns the values from match(expand(values)) for every operator', { timeout: HOUR }, ({ task }) => {
    let [matched, longest, slowest] = [0, 0, 0]
    const pieces = fc
      .integer({ min: 0, max: 4 })
      .chain((length) => fc.tuple(...Array.from({ length }, (_, index) => piece(index)), tail, queryTail))
    fc.assert(
      fc.property(pieces, (chosen) => {
        const template = `t://host${chosen.map((one) => one.template).join('')}`
        const values = Object.assign({}, ...chosen.map((one) => one.values)) as Piece['values']
        const uri = expandUriTemplate(template, values)
        fc.pre(uri.length <= MAX_URI)
        const parsed = parseUriTemplate(template)
        expect(parsed.match(uri)).toEqual(values)
        matched++
        longest = Math.max(longest, uri.length)
        slowest = Math.max(slowest, leastTime(parsed, uri, QUICK_MS))
      }),
      { numRuns: pairs },
    )
    const figure = `${matched} pairs, URIs of up to ${longest} characters, the slowest in ${slowest.toFixed(1)} ms`
    Object.assign(task.meta, { figure })
    expect(matched).toBe(pairs)
    expect(slowest).toBeLessThan(MAX_MS)
  })
}

/**
 * Returns the CPU time of a match, in ms. If the first attempt is not quick enough, returns the minimum of
 * several attempts.
 */
export function leastTime(template: UriTemplate, uri: string, quick: number = MAX_MS): number {
  let least = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 20 && least >= quick; tries++) {
    const start = process.cpuUsage()
    template.match(uri)
    const { user, system } = process.cpuUsage(start)
    least = Math.min(least, (user + system) / 1_000)
  }
  return least
}
