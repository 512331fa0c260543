import { fullFormats } from 'ajv-formats/dist/formats.js'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FORMATS, type Format } from '../src/formats.ts'

/** A host name of 253 characters, which is the maximum length. */
const NAME = `${'a.'.repeat(126)}a`

type Theirs = RegExp | ((text: string) => boolean)

const holds = (format: Format | undefined, text: string): boolean =>
  typeof format === 'function' ? format(text) : false

describe('formats', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    [
      'date',
      ['2024-02-29', '2000-02-29', '2023-12-31', '2024-01-01', '2024-04-30', '2024-08-31'],
      [
        '2024-01-00',
        '2024-12-32',
        '2024-06-31',
        '2024-09-31',
        '2024-11-31',
        '2023-02-29',
        '1900-02-29',
        '2024-13-01',
        '2024-00-10',
        '2024-04-31',
        '2024-1-1',
        '2024-02-29 ',
        '٢٠٢٤-٠٢-٢٩',
      ],
    ],
    [
      'time',
      ['12:00:00Z', '23:59:60Z', '01:29:60+01:30', '15:59:60-08:00', '12:00:00.123z', '12:00:00+23:59'],
      ['12:60:00Z', '24:00:00Z', '12:00:60Z', '12:00:00', '12:00Z', '12:00:00+24:00', '12:00:00+00:60'],
    ],
    [
      'date-time',
      ['2024-02-29T12:00:00Z', '2024-02-29t12:00:00.5+01:00', '1998-12-31T23:59:60Z'],
      ['2024-02-30T12:00:00Z', '2024-02-29T12:00:00', '2024-02-29', '2024-02-29Tx12:00:00Z'],
    ],
    ['iso-time', ['12:00:00', '12:00:00Z'], ['12:00', 'x']],
    ['iso-date-time', ['2024-02-29T12:00:00'], ['2024-02-29']],
    ['duration', ['P1D', 'P1Y2M3DT4H5M6S', 'PT1M', 'P4W'], ['P', 'PT', 'P1', '1D', 'P1D2W', 'P1S', 'PT1D']],
    [
      'uri',
      [
        'https://a.test/b?c#d',
        'mailto:a@b.test',
        'urn:a:b',
        'file:///a',
        'http://[::1]:80/',
        'https://u:p@a.test',
        'tel:+1-816',
      ],
      [
        '/a',
        'a',
        '//a.test',
        'http://[@a.test',
        'http://a[@a.test',
        'http://[::g]',
        'http://a b',
        'http://[::1',
        'http://a/%zz',
        'a b:c',
        ':a',
        'http://a:port',
        'http://a/\\b',
      ],
    ],
    [
      'uri-reference',
      ['', '/a?b', '#a', '//a.test', '../b', 'a', 'https://a.test'],
      ['\\a', 'a b', '#a#b', '/%x', ':a', '//[x]'],
    ],
    ['uri-template', ['/a/{b}', '{+a,b*}', '{?q:3}', '%20'], ['{', '{}', '{a', 'a}', '{=a b}', '{a:0}']],
    ['url', ['https://a.test', 'ftp://a.test/b'], ['a.test', 'mailto:a@b.test', 'http://', 'http://a b']],
    [
      'email',
      ['a@b.test', 'a.b+c@d-e.test'],
      ['a', '@b.test', 'a@', 'a@b', 'a..b@c.test', '.a@b.test', 'a.b.test', 'a@-b.test', 'a b@c.test'],
    ],
    [
      'hostname',
      ['a', 'a.b-c.test', 'a.', '1a', `${'a'.repeat(63)}.b`, NAME, `${NAME}.`],
      ['', '-a', 'a-', 'a..b', 'a_b', 'a'.repeat(64), `${NAME}a`, `${NAME}a.`],
    ],
    ['ipv4', ['0.0.0.0', '255.255.255.255'], ['1.2.3', '256.0.0.0', '01.2.3.4', '1.2.3.4.5', '']],
    [
      'ipv6',
      [
        '::',
        '::1',
        '1::',
        '1:2:3:4:5:6:7:8',
        'fe80::1.2.3.4',
        'ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255',
        '1:2:3:4:5:6:1.2.3.4',
        '1::3:4:5:6:7:8',
      ],
      [
        '',
        ':',
        ':::',
        '1:2:3:4:5:6:7',
        '1::2::3',
        '12345::',
        '1.2.3.4',
        '1:2:3:4:5:6:7:8:9',
        '::1.2.3',
        '1.2.3.4::',
        ':1:2:3:4:5:6:7',
        '1:2:3:4::5:6:7:8',
        '1:2:3::4:5:6::7:8',
      ],
    ],
    [
      'uuid',
      ['123e4567-e89b-12d3-a456-426614174000', 'urn:uuid:123E4567-e89b-12d3-a456-426614174000'],
      ['123e4567e89b12d3a456426614174000', '123e4567-e89b-12d3-a456-42661417400g'],
    ],
    ['regex', ['^a$', '[\\w-.]'], ['[', '(', 'a\\Z']],
    ['json-pointer', ['', '/', '/a~0b~1c', '/\n'], ['a', '/~2', '/~']],
    ['json-pointer-uri-fragment', ['#', '#/a%25'], ['/a', '#a', '#/%x']],
    ['relative-json-pointer', ['0', '1/a', '2#'], ['-1', '01', '/a', '#']],
    ['byte', ['', 'YQ==', 'YWI=', 'YWJj'], ['YQ=', 'Y', 'Y===', 'YQ==\n', '====']],
  ])('%s accepts valid strings and rejects all others', (name, good, bad) => {
    const format = FORMATS[name]
    expect(good.filter((text) => !holds(format, text))).toEqual([])
    expect(bad.filter((text) => holds(format, text))).toEqual([])
  })

  it('check the range of numbers in int32 and int64', () => {
    const formats = FORMATS as Record<string, { readonly validate: (value: number) => boolean }>
    const judge = (name: string, values: readonly number[]): unknown =>
      values.map((value) => formats[name]?.validate(value))
    expect(judge('int32', [0, -(2 ** 31), 2 ** 31 - 1, 2 ** 31, 0.5])).toEqual([
      true,
      true,
      true,
      false,
      false,
    ])
    expect(judge('int64', [2 ** 40, 0.5])).toEqual([true, false])
  })

  /** The specifications of these formats are unambiguous, so both implementations must agree. */
  it.each([
    'date',
    'time',
    'date-time',
    'iso-time',
    'duration',
    'ipv4',
    'ipv6',
    'uuid',
    'hostname',
    'json-pointer',
  ])('%s agrees with ajv-formats', (name) => {
    const format = fullFormats[name as keyof typeof fullFormats] as Theirs | { readonly validate: Theirs }
    const theirs = 'validate' in format ? format.validate : format
    const parts = fc.constantFrom(
      '-',
      ':',
      '.',
      'T',
      'Z',
      '+',
      '/',
      '~',
      'P',
      'D',
      '0',
      '1',
      '12',
      '59',
      '60',
      '255',
      'f',
      '::',
      '2024',
      '00',
    )
    const text = fc.array(parts, { maxLength: 16 }).map((all) => all.join(''))
    fc.assert(
      fc.property(text, (given) => {
        const expected = theirs instanceof RegExp ? theirs.test(given) : theirs(given)
        expect(holds(FORMATS[name], given)).toBe(expected)
      }),
      { numRuns: 500 },
    )
  })

  it('check malicious strings in linear time', () => {
    const hostile = ['a', '1', ':', '.', '-', '%', '/', '{', 'a.', '1:', '::', '{a,', 'P1', '0'].map((part) =>
      part.repeat(20_000),
    )
    const started = process.cpuUsage()
    for (const format of Object.values(FORMATS)) for (const text of hostile) holds(format, `${text}!`)
    const { user, system } = process.cpuUsage(started)
    expect((user + system) / 1_000).toBeLessThan(5_000)
  })
})
