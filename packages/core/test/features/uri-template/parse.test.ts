import { describe, expect, it } from 'vitest'
import { parseUriTemplate } from '../../../src/features/uri-template/uri-template.ts'

describe('parseUriTemplate', () => {
  it('returns the variables in order', () => {
    const { template, variables } = parseUriTemplate('x://{a}/{+b,c:3}{/d*}{?e,f*}{&g.h}{#%41_1}')
    expect(template).toBe('x://{a}/{+b,c:3}{/d*}{?e,f*}{&g.h}{#%41_1}')
    expect(variables).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g.h', '%41_1'])
  })

  it.each([
    [
      'bytes',
      2048,
      (size: number) => `x://${'é'.repeat(1000)}`.padEnd(size - 1000, 'x'),
      'longer than 2048 bytes',
    ],
    [
      'variables',
      32,
      (size: number) => Array.from({ length: size }, (_, i) => `{v${i}}`).join('/'),
      'more than 32 variables',
    ],
  ])('limits the %s of a template to %d', (_, limit, templateOf, message) => {
    expect(() => parseUriTemplate(templateOf(limit))).not.toThrow()
    expect(() => parseUriTemplate(templateOf(limit + 1))).toThrow(message)
  })

  it('truncates a template that is too long to 40 characters in the error message', () => {
    const start = 'notes://a/template/of/quite/some/length/'
    expect(() => parseUriTemplate(start.padEnd(2049, 'x'))).toThrow(`starting with "${start}" is longer`)
  })

  it.each([
    ['x://{a', 5, /never closed.*%7B/],
    ['x://a}', 6, /closes nothing.*%7D/],
    ['x://{a}}', 8, /closes nothing/],
    ['x://{}', 6, /empty expression/],
    ['x://{?}', 7, /not a variable name/],
    ['x://{=a}', 6, /"=" is reserved/],
    ['x://{!a}', 6, /reserved/],
    ['x://{@a}', 6, /reserved/],
    ['x://{|a}', 6, /reserved/],
    ['x://{,a}', 6, /reserved/],
    ['x://{a,}', 8, /not a variable name/],
    ['x://{a b}', 6, /not a variable name/],
    ['x://{a-b}', 6, /not a variable name/],
    ['x://{.a..b}', 7, /not a variable name/],
    ['x://{a.}', 6, /not a variable name/],
    ['x://{%4}', 6, /not a variable name/],
    ['x://{{a}}', 6, /not a variable name/],
    ['x://{a**}', 6, /not a variable name/],
    ['x://{a:0}', 7, /from 1 to 9999/],
    ['x://{a:}', 7, /from 1 to 9999/],
    ['x://{a:10000}', 7, /from 1 to 9999/],
    ['x://{a:1:2}', 7, /from 1 to 9999/],
    ['x://{a:3*}', 7, /prefix and "\*"/],
    ['x://{a}/{b,a}', 12, /"a" occurs twice/],
    ['x:// {a}', 5, /" " is not allowed/],
    ['x://a\\{a}', 6, /not allowed/],
    ['x://\u0000', 5, /not allowed/],
    ['x://\uD800', 5, /not allowed/],
    ['x://100%/{a}', 8, /lone "%".*%25/],
    ['x://%2', 5, /lone "%"/],
  ])('rejects %j with an error at character %i', (template, position, message) => {
    const parse = () => parseUriTemplate(template)
    expect(parse).toThrow(expect.objectContaining({ code: 'ERR_MCP_URI_TEMPLATE' }))
    expect(parse).toThrow(`character ${position}:`)
    expect(parse).toThrow(message)
  })
})
