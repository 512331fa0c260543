import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileParts } from '../../../src/features/uri-template/compile.ts'
import { parseParts } from '../../../src/features/uri-template/parse.ts'
import { scan } from '../../../src/features/uri-template/scan.ts'
import type { Step } from '../../../src/features/uri-template/scan.ts'
import { expandUriTemplate } from './expand.ts'
import { isAllowed, itMatchesPairs, leastTime, segment, text } from './pairs.ts'
import { parseUriTemplate } from '../../../src/features/uri-template/uri-template.ts'

itMatchesPairs(400)

describe('match(expand(values))', () => {
  it('returns the expanded values, truncated to their prefix lengths', () => {
    fc.assert(
      fc.property(segment, fc.integer({ min: 1, max: 9 }), (value, length) => {
        const cut = Array.from(value).slice(0, length).join('')
        fc.pre(isAllowed(cut, 'segment'))
        const template = `t://{v:${length}}/x`
        expect(parseUriTemplate(template).match(expandUriTemplate(template, { v: value }))).toEqual({
          v: cut,
        })
      }),
    )
  })
})

describe('match() with an arbitrary string', () => {
  it('returns either valid values or undefined', () => {
    const templates = [
      '{a}',
      '{+a}',
      't://{a}/{b}',
      't://{+a}{?b,c*}',
      '{a*}{/b*}{#c}',
      '{.a,b}{;c}{&d}',
    ].map(parseUriTemplate)
    fc.assert(
      fc.property(fc.constantFrom(...templates), text, text, (template, left, right) => {
        const values = template.match(`${left}/${right}`) ?? {}
        for (const value of Object.values(values).flat()) expect(isAllowed(value, 'path')).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})

/** Counts how often characters are read to find the end of a variable. */
function countLooks(template: string, uri: string): { looks: number; spans: number } {
  let looks = 0
  const steps = compileParts(parseParts(template)).steps.map((step): Step => {
    if (step.kind === 'literal') return step
    const accepts = (code: number): boolean => {
      looks++
      return step.accepts(code)
    }
    return { ...step, accepts }
  })
  scan(steps, uri)
  return { looks, spans: steps.filter((step) => step.kind === 'span').length }
}

const names = Array.from({ length: 32 }, (_, index) => `v${index}`)
const ADVERSARIAL = [
  names.map((name) => `{${name}}`).join(''),
  names.map((name) => `{+${name}}`).join(''),
  names.map((name) => `{${name}}a`).join(''),
  names.map((name) => `{+${name}}a`).join('') + 'b',
  names.map((name) => `{${name}*}`).join(''),
  names.map((name) => `{+${name}*}`).join('b'),
  names.map((name) => `{/${name}*}`).join(''),
  names.map((name) => `{.${name}*}`).join(''),
  names.map((name) => `{+${name}}${'a'.repeat(50)}`).join(''),
  names
    .map((name) => `{;${name}}/{+x${name}}`)
    .slice(0, 16)
    .join(''),
  `{+${names.join(',')}}`,
  `{${names.join(',')}}`,
  `{+a}${'a'.repeat(1000)}{+b}${'a'.repeat(1000)}{+c}`,
  `{+a}${'ab'.repeat(500)}{+b}${'ab'.repeat(400)}c{+c}`,
  `{?${names.join(',')}}`,
]
const units = ['a', 'ab', '/', '//a', '.', 'a.', ',', 'a,', '%41', '%', 'a/', ';v0', '&v0=1', '?', '\\', '€']

describe('the cost of match()', () => {
  it.each(ADVERSARIAL)('is at most two reads per character and variable, template %#', (template) => {
    for (const unit of units) {
      for (const end of ['', '!']) {
        const uri = unit.repeat(Math.floor(1_500 / unit.length)) + end
        const { looks, spans } = countLooks(template, uri)
        expect(looks).toBeLessThanOrEqual(2 * spans * (uri.length + 1))
      }
    }
  })

  it('is linear for random templates and URIs', () => {
    const expression = fc.tuple(
      fc.constantFrom('', '+', '#', '.', '/', ';', '?', '&'),
      fc.constantFrom('', '*', ':3'),
      fc.constantFrom('', 'a', 'ab', '/', 'aaa'),
    )
    const template = fc
      .array(expression, { maxLength: 32 })
      .map((all) =>
        all.map(([operator, modifier, literal], i) => `{${operator}v${i}${modifier}}${literal}`).join(''),
      )
    const uri = fc.string({
      unit: fc.constantFrom('a', 'b', '/', '.', ',', '?', '&', '=', '%41', 'v1'),
      maxLength: 400,
    })
    fc.assert(
      fc.property(template, uri, (chosen, address) => {
        const { looks, spans } = countLooks(chosen, address)
        expect(looks).toBeLessThanOrEqual(2 * spans * (address.length + 1))
      }),
      { numRuns: 500 },
    )
  })

  it('is less than 50 ms for each adversarial template and URI', () => {
    let slowest = 0
    for (const template of ADVERSARIAL.map(parseUriTemplate)) {
      for (const unit of units) {
        const uri = unit.repeat(Math.floor(8190 / encodeURI(unit).length)) + '!'
        slowest = Math.max(slowest, leastTime(template, uri))
      }
    }
    expect(slowest).toBeLessThan(50)
  })
})
