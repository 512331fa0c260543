import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { accepted, isJson, remember } from '../../../src/http/guard/headers.ts'

describe('isJson', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json;charset=utf-8',
    'application/json; charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json ; charset=utf-8',
    'application/json; x=y; charset=utf-8',
  ])('returns true for %j', (type) => expect(isJson(type)).toBe(true))

  it.each([
    undefined,
    '',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/jsonp',
    'application/json-seq',
    'application/vnd.api+json',
    'text/plain; application/json',
    'text/plain;x=application/json',
    'application/json, text/plain',
    'application/json\ta',
    'application/json\t; charset=utf-8',
    'application/json;',
    'application/json;charset',
    'application/json; charset=utf-8; charset=utf-8',
    'application/json; charset=utf-16',
    'application/json; charset=iso-8859-1',
    'application/json; x="a;b"',
    'application/json\u0000',
    ' application/json',
  ])('returns false for %j', (type) => expect(isJson(type)).toBe(false))

  it('returns false for every type that browsers may send cross-site without a preflight', () => {
    const simple = fc.constantFrom('text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data')
    fc.assert(fc.property(simple, fc.string(), (type, rest) => !isJson(`${type}${rest}`)))
  })
})

describe('parsing an Accept header', () => {
  it.each([
    ['*/*', true, true],
    ['application/json, text/event-stream', true, true],
    ['text/event-stream,application/json', true, true],
    ['Application/JSON , Text/Event-Stream', true, true],
    ['application/*, text/*', true, true],
    ['application/json;q=0.5, text/event-stream;q=0.1', true, true],
    ['text/html, */*;q=0.8', true, true],
    ['application/json', true, false],
    ['text/event-stream', false, true],
    ['application/json;q=0, */*', false, true],
    ['application/json, text/event-stream;q=0.000', true, false],
    ['text/html', false, false],
    ['', false, false],
    ['application/jsonx, text/event-streams', false, false],
  ])('given %j, returns %s for JSON and %s for event streams', (accept, json, sse) => {
    expect(accepted(accept)).toEqual({ json, sse })
  })
})

describe('remember()', () => {
  it('caches the results for a limited number of header values', () => {
    let asked = 0
    const even = remember((text) => {
      asked++
      return Number(text) % 2 === 0
    }, 10)
    for (let round = 0; round < 2; round++)
      for (let i = 0; i < 20; i++) expect(even(String(i))).toBe(i % 2 === 0)
    expect(asked).toBe(30)
  })
})
