import { describe, expect, it } from 'vitest'
import { expandUriTemplate } from './expand.ts'

/** The variables from https://www.rfc-editor.org/rfc/rfc6570#section-3.2 */
const VALUES = {
  count: ['one', 'two', 'three'],
  dom: ['example', 'com'],
  dub: 'me/too',
  hello: 'Hello World!',
  half: '50%',
  var: 'value',
  who: 'fred',
  base: 'http://example.com/home/',
  path: '/foo/bar',
  list: ['red', 'green', 'blue'],
  keys: { semi: ';', dot: '.', comma: ',' },
  v: '6',
  x: '1024',
  y: '768',
  empty: '',
  empty_keys: {},
  undef: undefined,
}

/** The examples from the RFC, except those that repeat a variable. */
const SECTIONS: Record<string, Record<string, string>> = {
  '3.2.1 variable expansion': {
    '{count}': 'one,two,three',
    '{count*}': 'one,two,three',
    '{/count}': '/one,two,three',
    '{/count*}': '/one/two/three',
    '{;count}': ';count=one,two,three',
    '{;count*}': ';count=one;count=two;count=three',
    '{?count}': '?count=one,two,three',
    '{?count*}': '?count=one&count=two&count=three',
    '{&count*}': '&count=one&count=two&count=three',
  },
  '3.2.2 simple string': {
    '{var}': 'value',
    '{hello}': 'Hello%20World%21',
    '{half}': '50%25',
    'O{empty}X': 'OX',
    'O{undef}X': 'OX',
    '{x,y}': '1024,768',
    '{x,hello,y}': '1024,Hello%20World%21,768',
    '?{x,empty}': '?1024,',
    '?{x,undef}': '?1024',
    '?{undef,y}': '?768',
    '{var:3}': 'val',
    '{var:30}': 'value',
    '{list}': 'red,green,blue',
    '{list*}': 'red,green,blue',
    '{keys}': 'semi,%3B,dot,.,comma,%2C',
    '{keys*}': 'semi=%3B,dot=.,comma=%2C',
  },
  '3.2.3 reserved': {
    '{+var}': 'value',
    '{+hello}': 'Hello%20World!',
    '{+half}': '50%25',
    '{base}index': 'http%3A%2F%2Fexample.com%2Fhome%2Findex',
    '{+base}index': 'http://example.com/home/index',
    'O{+empty}X': 'OX',
    'O{+undef}X': 'OX',
    '{+path}/here': '/foo/bar/here',
    'here?ref={+path}': 'here?ref=/foo/bar',
    'up{+path}{var}/here': 'up/foo/barvalue/here',
    '{+x,hello,y}': '1024,Hello%20World!,768',
    '{+path,x}/here': '/foo/bar,1024/here',
    '{+path:6}/here': '/foo/b/here',
    '{+list}': 'red,green,blue',
    '{+list*}': 'red,green,blue',
    '{+keys}': 'semi,;,dot,.,comma,,',
    '{+keys*}': 'semi=;,dot=.,comma=,',
  },
  '3.2.4 fragment': {
    '{#var}': '#value',
    '{#hello}': '#Hello%20World!',
    '{#half}': '#50%25',
    'foo{#empty}': 'foo#',
    'foo{#undef}': 'foo',
    '{#x,hello,y}': '#1024,Hello%20World!,768',
    '{#path,x}/here': '#/foo/bar,1024/here',
    '{#path:6}/here': '#/foo/b/here',
    '{#list}': '#red,green,blue',
    '{#list*}': '#red,green,blue',
    '{#keys}': '#semi,;,dot,.,comma,,',
    '{#keys*}': '#semi=;,dot=.,comma=,',
  },
  '3.2.5 label': {
    '{.who}': '.fred',
    '{.half,who}': '.50%25.fred',
    'www{.dom*}': 'www.example.com',
    'X{.var}': 'X.value',
    'X{.empty}': 'X.',
    'X{.undef}': 'X',
    'X{.var:3}': 'X.val',
    'X{.list}': 'X.red,green,blue',
    'X{.list*}': 'X.red.green.blue',
    'X{.keys}': 'X.semi,%3B,dot,.,comma,%2C',
    'X{.keys*}': 'X.semi=%3B.dot=..comma=%2C',
    'X{.empty_keys}': 'X',
    'X{.empty_keys*}': 'X',
  },
  '3.2.6 path segment': {
    '{/who}': '/fred',
    '{/half,who}': '/50%25/fred',
    '{/who,dub}': '/fred/me%2Ftoo',
    '{/var}': '/value',
    '{/var,empty}': '/value/',
    '{/var,undef}': '/value',
    '{/var,x}/here': '/value/1024/here',
    '{/list}': '/red,green,blue',
    '{/list*}': '/red/green/blue',
    '{/list*,path:4}': '/red/green/blue/%2Ffoo',
    '{/keys}': '/semi,%3B,dot,.,comma,%2C',
    '{/keys*}': '/semi=%3B/dot=./comma=%2C',
  },
  '3.2.7 path-style parameters': {
    '{;who}': ';who=fred',
    '{;half}': ';half=50%25',
    '{;empty}': ';empty',
    '{;v,empty,who}': ';v=6;empty;who=fred',
    '{;v,bar,who}': ';v=6;who=fred',
    '{;x,y}': ';x=1024;y=768',
    '{;x,y,empty}': ';x=1024;y=768;empty',
    '{;x,y,undef}': ';x=1024;y=768',
    '{;hello:5}': ';hello=Hello',
    '{;list}': ';list=red,green,blue',
    '{;list*}': ';list=red;list=green;list=blue',
    '{;keys}': ';keys=semi,%3B,dot,.,comma,%2C',
    '{;keys*}': ';semi=%3B;dot=.;comma=%2C',
  },
  '3.2.8 form-style query': {
    '{?who}': '?who=fred',
    '{?half}': '?half=50%25',
    '{?x,y}': '?x=1024&y=768',
    '{?x,y,empty}': '?x=1024&y=768&empty=',
    '{?x,y,undef}': '?x=1024&y=768',
    '{?var:3}': '?var=val',
    '{?list}': '?list=red,green,blue',
    '{?list*}': '?list=red&list=green&list=blue',
    '{?keys}': '?keys=semi,%3B,dot,.,comma,%2C',
    '{?keys*}': '?semi=%3B&dot=.&comma=%2C',
  },
  '3.2.9 form-style query continuation': {
    '{&who}': '&who=fred',
    '{&half}': '&half=50%25',
    '?fixed=yes{&x}': '?fixed=yes&x=1024',
    '{&x,y,empty}': '&x=1024&y=768&empty=',
    '{&x,y,undef}': '&x=1024&y=768',
    '{&var:3}': '&var=val',
    '{&list}': '&list=red,green,blue',
    '{&list*}': '&list=red&list=green&list=blue',
    '{&keys}': '&keys=semi,%3B,dot,.,comma,%2C',
    '{&keys*}': '&semi=%3B&dot=.&comma=%2C',
  },
}

for (const [section, examples] of Object.entries(SECTIONS)) {
  describe(`RFC 6570 section ${section}`, () => {
    it.each(Object.entries(examples))('expands %s to %s', (template, expected) => {
      expect(expandUriTemplate(template, VALUES)).toBe(expected)
    })
  })
}

describe('expansion beyond the published examples', () => {
  it('encodes invalid characters in literals, and keeps percent-encoded triplets unchanged', () => {
    expect(expandUriTemplate('notes://café%20bar/{id}', { id: 'ü' })).toBe('notes://caf%C3%A9%20bar/%C3%BC')
  })

  it('keeps percent-encoded triplets in reserved values, and encodes other percent signs', () => {
    expect(expandUriTemplate('{+a}', { a: '%2F %zz %' })).toBe('%2F%20%25zz%20%25')
  })

  it('counts code points when it truncates values to a prefix length, so that it never splits a character', () => {
    expect(expandUriTemplate('{a:2}', { a: '😀é!' })).toBe('%F0%9F%98%80%C3%A9')
  })

  it('ignores inherited values', () => {
    expect(expandUriTemplate('x{constructor}{toString}', {})).toBe('x')
  })

  it.each([
    ['a number', { a: 5 }, /type number/],
    ['a nested array', { a: [['x']] }, /type object/],
    ['a lone surrogate', { a: '\uD800' }, /lone surrogate/],
    ['an array for a prefix', { b: ['x'] }, /prefix length/],
  ])('rejects %s, with an error that names the variable', (_, values, message) => {
    const template = '{a}{b:2}'
    const expand = () => expandUriTemplate(template, values as unknown as Record<string, string>)
    expect(expand).toThrow(expect.objectContaining({ code: 'ERR_MCP_URI_TEMPLATE' }))
    expect(expand).toThrow(message)
    expect(expand).toThrow(new RegExp(`"${Object.keys(values)[0]}"`))
  })
})
