import { describe, expect, it } from 'vitest'
import type { Section } from '../../src/doctor/finding.ts'
import { createMask, secretVariables } from '../../src/doctor/mask.ts'
import { hasFault, printReport } from '../../src/doctor/report.ts'
import { secretsOf, subjectOf } from '../../src/doctor/subject.ts'
import { clip, fault, ok, skipped, some, warning } from '../../src/doctor/verdicts.ts'
import { Terminal } from '../../src/terminal.ts'

function printed(sections: readonly Section[], json = false): string {
  let text = ''
  const stream = { write: (part: string) => (text += part) }
  const streams = { stdin: stream, stdout: stream, stderr: stream, env: {} } as never
  printReport(sections, new Terminal(streams, { json, yes: false }), createMask(['s3cret']))
  return text
}

const SECTION: Section = {
  name: 'cursor:s3cret',
  findings: [
    ok('command', 'node'),
    skipped('stdout-lines', 'not started'),
    warning('script', 'first\nsecond s3cret', 'Write s3cret\nTwice'),
    fault('start', '\u001B[31mred', 'Stop'),
  ],
}

describe('printReport', () => {
  it('aligns the findings and marks each one', () => {
    expect(printed([SECTION])).toBe(
      [
        'cursor:***',
        '  ✓ command       node',
        '  - stdout-lines  not started',
        '  ! script        first',
        '                  second ***',
        '                  → Write ***',
        '                  Twice',
        '  ✗ start         \uFFFD[31mred',
        '                  → Stop',
        '',
        '1 fault, 1 warning',
        '',
      ].join('\n'),
    )
  })

  it.each([
    [[], 'No fault found'],
    [[ok('a', 'b')], 'No fault found'],
    [[warning('a', 'b', 'c')], '0 faults, 1 warning'],
    [[fault('a', 'b', 'c'), fault('a', 'b', 'c')], '2 faults, 0 warnings'],
  ])('ends with the number of faults and warnings: %j', (findings, last) => {
    const sections = [{ name: 'a', findings }]
    expect(printed(sections).trimEnd().split('\n').at(-1)).toBe(last)
    expect(hasFault(sections)).toBe(last.startsWith('2'))
  })

  it('prints a single JSON document with --json', () => {
    const findings = [warning('a', 's3cret', 'no s3cret'), ok('b', 'c')]
    expect(JSON.parse(printed([{ name: 's3cret', findings }], true))).toEqual({
      ok: true,
      faults: 0,
      warnings: 1,
      sections: [{ name: '***', findings: [warning('a', '***', 'no ***'), ok('b', 'c')] }],
    })
    expect(JSON.parse(printed([SECTION], true))).toMatchObject({ ok: false, faults: 1 })
  })
})

describe('masked secrets', () => {
  it('include environment variables with names such as API_KEY', () => {
    const env = { API_KEY: 'a', Token: 'b', PATH: 'c', PASSWORD: undefined, MY_AUTH: 'd' }
    expect(secretVariables(env)).toEqual(['a', 'b', 'd'])
  })

  it.each([
    [['abcd'], 'abcd abc', '*** abc'],
    [['abc'], 'abc', 'abc'],
    [['abcd', 'abcdef'], 'abcdef abcd', '*** ***'],
    [['a"b c'], JSON.stringify({ x: 'a"b c' }), '{"x":"***"}'],
    [['a"b c'], 'key=a%22b%20c', 'key=***'],
  ])('are replaced within a string: %j in %s', (secrets, text, masked) => {
    expect(createMask(secrets)(text)).toBe(masked)
  })
})

describe('subjectOf', () => {
  const program = { kind: 'program', startedBy: 'user' }

  it.each([
    [
      { command: '/bin/node' },
      { ...program, name: 'node', program: { command: '/bin/node', args: [], env: {} } },
      [],
    ],
    [
      { command: 'npx', args: ['a'], env: { A: '1' }, cwd: '/x' },
      { ...program, name: 'npx', program: { command: 'npx', args: ['a'], env: { A: '1' }, cwd: '/x' } },
      ['1'],
    ],
    [
      { url: 'https://h/mcp?key=s3cret', headers: { a: 'b' } },
      { kind: 'url', name: 'https://h/mcp', url: 'https://h/mcp?key=s3cret', headers: { a: 'b' } },
      ['b', 's3cret'],
    ],
    [{ url: 'https://h/mcp' }, { kind: 'url', name: 'https://h/mcp', url: 'https://h/mcp', headers: {} }, []],
  ])('returns the name and secrets of %j', (config, expected, secrets) => {
    const subject = subjectOf({ kind: 'server', config })
    expect(subject).toEqual(expected)
    expect(secretsOf(subject)).toEqual(secrets)
  })

  it('finds no secrets in a file', () => {
    const subject = subjectOf({ kind: 'file', path: '/a/b.ts', exportName: 'c' })
    expect(subject).toEqual({ kind: 'file', path: '/a/b.ts', exportName: 'c', name: 'b.ts' })
    expect(secretsOf(subject)).toEqual([])
  })
})

it.each([
  [['a'], 'a'],
  [['a', 'b', 'c', 'd', 'e'], 'a, b, c, d, e'],
  [['a', 'b', 'c', 'd', 'e', 'f'], 'a, b, c, d, e and 1 more'],
  [['x'.repeat(129)], `${'x'.repeat(128)}…`],
])('some() lists at most five names: %j', (names, text) => {
  expect(some(names)).toBe(text)
})

it('clip() truncates a string that exceeds the limit', () => {
  expect([clip('abc', 3), clip('abcd', 3)]).toEqual(['abc', 'abc…'])
})
