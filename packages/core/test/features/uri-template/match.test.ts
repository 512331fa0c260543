import { describe, expect, it } from 'vitest'
import { parseUriTemplate } from '../../../src/features/uri-template/uri-template.ts'

const match = (template: string, uri: string) => parseUriTemplate(template).match(uri)

describe('positional variables', () => {
  it.each([
    ['weather://{country}/{city}', 'weather://us/Boston', { country: 'us', city: 'Boston' }],
    ['weather://{country}/{city}', 'weather://us/New%20York', { country: 'us', city: 'New York' }],
    ['weather://{country}/{city}', 'weather://us/New York', { country: 'us', city: 'New York' }],
    ['weather://{country}/{city}', 'weather://ch/Zürich', { country: 'ch', city: 'Zürich' }],
    ['weather://{country}/{city}', 'weather://ch/Z%c3%bcrich', { country: 'ch', city: 'Zürich' }],
    ['note://{id}', 'note://ab:c@c;d=e,f&g+h', { id: 'ab:c@c;d=e,f&g+h' }],
    ['{x,y}', '1024,768', { x: '1024', y: '768' }],
    ['{a}', '%39%4F%30%41', { a: '9O0A' }],
    ['{first,rest*}', 'a', { first: 'a', rest: [] }],
    ['{name}.{ext}', 'archive.tar.gz', { name: 'archive', ext: 'tar.gz' }],
    ['file{.ext}', 'file.tar.gz', { ext: 'tar.gz' }],
    ['www{.dom*}', 'www.example.com', { dom: ['example', 'com'] }],
    ['files{/a,b}', 'files/x/y', { a: 'x', b: 'y' }],
    ['files{/path*}', 'files/x/y', { path: ['x', 'y'] }],
    ['files{/path*}', 'files', { path: [] }],
    ['files{/path*}/{name}', 'files/x/y/z', { path: ['x', 'y'], name: 'z' }],
    ['{first,rest*}', 'a,b,c', { first: 'a', rest: ['b', 'c'] }],
    ['file:///{+path}', 'file:///a/b/c.txt', { path: 'a/b/c.txt' }],
    ['file:///{+path}', 'file:///a%2Fb', { path: 'a/b' }],
    ['{+dir}/{name}', 'a/b/c', { dir: 'a/b', name: 'c' }],
    ['x{#frag}', 'x#a/b', { frag: 'a/b' }],
    ['get://x?url={+url}', 'get://x?url=a?b', { url: 'a?b' }],
    ['get://{+url}', 'get://https://a.example/b?c=1#d', { url: 'https://a.example/b?c=1#d' }],
    ['a{x:3}', 'aabc', { x: 'abc' }],
    ['notes://café/{id}', 'notes://café/1', { id: '1' }],
    ['notes://café/{id}', 'notes://caf%c3%a9/1', { id: '1' }],
    ['plain', 'plain', {}],
  ])('match if the template is %s and the URI is %s', (template, uri, expected) => {
    expect(match(template, uri)).toEqual(expected)
  })

  it.each([
    ['weather://{country}/{city}', 'weather://us'],
    ['weather://{country}/{city}', 'weather://us/'],
    ['weather://{country}/{city}', 'weather:///Boston'],
    ['weather://{country}/{city}', 'weather://us/Boston/x'],
    ['weather://{country}/{city}', 'weather://us/Boston?x=1'],
    ['weather://{country}/{city}', 'weather://us/Boston#x'],
    ['weather://{country}/{city}', 'xweather://us/Boston'],
    ['files{/path*}', 'files/'],
    ['files{/path*}', 'files/a//b'],
    ['files{/path*}', 'files/a/'],
    ['www{.dom*}', 'www.a..b'],
    ['a{x:3}', 'aabcd'],
    ['plain', 'plainer'],
    ['plain', ''],
    ['{+path}', ''],
    ['{x,y}', '1,2,3'],
    ['{a*,b}', ',x'],
    ['files{/a}', 'files/x/y'],
    ['file:///{+path}?x={q}', 'file:///a?b?x=1'],
    ['{+path}#x{at}', 'a#b#x1'],
    ['m{;a}', 'm;a=1?x'],
    ['m{;a}', 'm;a=1#x'],
    ['{a}', '%4G'],
    ['s?q={q}&n={n}', 's?q=a&evil=1&n=2'],
  ])('do not match if the template is %s and the URI is %s', (template, uri) => {
    expect(match(template, uri)).toBeUndefined()
  })

  it('match as little as possible, starting from the left', () => {
    expect(match('{a}-{b}', 'x-y-z')).toEqual({ a: 'x', b: 'y-z' })
    expect(match('{a}{b}', '%41bc')).toEqual({ a: 'A', b: 'bc' })
    expect(match('{+a}/x/{+b}', '1/x/2/x/3')).toEqual({ a: '1', b: '2/x/3' })
    expect(match('f{/a*}{/b*}', 'f/x/y')).toEqual({ a: [], b: ['x', 'y'] })
  })
})

describe('named variables', () => {
  const search = 'search://notes{?q,limit}'

  it('are optional and can occur in any order', () => {
    expect(match(search, 'search://notes')).toEqual({})
    expect(match(search, 'search://notes?q=a')).toEqual({ q: 'a' })
    expect(match(search, 'search://notes?limit=5&q=a%26b')).toEqual({ q: 'a&b', limit: '5' })
  })

  it('may be empty, with or without an equals sign', () => {
    expect(match(search, 'search://notes?q=&limit')).toEqual({ q: '', limit: '' })
    expect(match('m{;a,b}', 'm;b;a=1')).toEqual({ a: '1', b: '' })
  })

  it('preserve additional equals signs and plus signs in values', () => {
    expect(match(search, 'search://notes?q=a=b+c')).toEqual({ q: 'a=b+c' })
  })

  it('may contain slashes in a query', () => {
    expect(match(search, 'search://notes?q=and%2For')).toEqual({ q: 'and/or' })
    expect(match(search, 'search://notes?q=and/or?')).toEqual({ q: 'and/or?' })
    expect(match('m{;a}', 'm;a=and%2For')).toBeUndefined()
  })

  it.each([
    '?',
    '?q=1&',
    '?&q=1',
    '?q=1&&limit=1',
    '?evil=1',
    '?q=1&evil=1',
    '?q=1&q=2',
    '?Q=1',
    '?=1',
    '&q=1',
  ])('prevent a match if a name in the URI is unknown, repeated or malformed: %s', (query) => {
    expect(match(search, search.replace('{?q,limit}', query))).toBeUndefined()
  })

  it('collect repeated values into an array if they have the explode modifier', () => {
    expect(match('x{?tag*,q}', 'x?tag=a&q=1&tag=b')).toEqual({ tag: ['a', 'b'], q: '1' })
    expect(match('x{;tag*}', 'x;tag=a;tag=b')).toEqual({ tag: ['a', 'b'] })
  })

  it('can follow a literal query or another expression', () => {
    expect(match('x?fixed=yes{&a,b}', 'x?fixed=yes&b=2')).toEqual({ b: '2' })
    expect(match('x?fixed=yes{&a,b}', 'x?fixed=yes')).toEqual({})
    expect(match('x{?a}{&b}', 'x?b=2&a=1')).toEqual({ a: '1', b: '2' })
    expect(match('x{?a}{&b}', 'x&b=2')).toEqual({ b: '2' })
    expect(match('x{?a}{&b}{#at}', 'x?a=1#y')).toEqual({ a: '1', at: 'y' })
  })

  it('can follow reserved variables, which do not match the query', () => {
    expect(match('file:///{+path}{?rev}', 'file:///a/b?rev=3')).toEqual({ path: 'a/b', rev: '3' })
    expect(match('file:///{+path}{?rev}', 'file:///a/b?other=3')).toBeUndefined()
    expect(match('file:///{+path}{?rev}{#at}', 'file:///a/b?rev=3#L1')).toEqual({
      path: 'a/b',
      rev: '3',
      at: 'L1',
    })
  })
})

describe('match() with hostile URIs', () => {
  it('accepts up to 8192 characters in percent-encoded form', () => {
    expect(match('{a}', 'x'.repeat(8192))).toEqual({ a: 'x'.repeat(8192) })
    expect(match('{a}', 'x'.repeat(8193))).toBeUndefined()
    expect(match('{a}', '€'.repeat(910))).toEqual({ a: '€'.repeat(910) })
    expect(match('{a}', '€'.repeat(911))).toBeUndefined()
  })

  it('creates own properties for variables named __proto__ or constructor', () => {
    const values = match('{__proto__}/{constructor}', 'a/b')
    expect(Object.entries(values ?? {})).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ])
    expect(Object.getPrototypeOf(values)).toBe(Object.prototype)
  })

  it('decodes exactly once', () => {
    expect(match('{a}', '%2541')).toEqual({ a: '%41' })
    expect(match('{+a}', '%252e%252e%252fetc')).toEqual({ a: '%2e%2e%2fetc' })
    expect(match('x{?a}', 'x?a=%2525')).toEqual({ a: '%25' })
  })

  it('finds a repetitive literal wherever it occurs', () => {
    expect(match('{a}aab{b}', 'aaaabaab')).toEqual({ a: 'aa', b: 'aab' })
    expect(match('{a}abab{b}abc', 'xabababababc')).toEqual({ a: 'x', b: 'abab' })
    expect(match('{a}aab{b}', 'xaaaby')).toEqual({ a: 'xa', b: 'y' })
    expect(match('{a}abac{b}', 'xababacy')).toEqual({ a: 'xab', b: 'y' })
    expect(match('{a}abcbd{b}', 'xabbcbdy')).toBeUndefined()
    expect(match('{a}aacd{b}', 'xaacacdy')).toBeUndefined()
    expect(match('{a}ab{b}', 'xaxby')).toBeUndefined()
  })
})
