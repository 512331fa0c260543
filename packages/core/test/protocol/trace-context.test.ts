import { describe, expect, it } from 'vitest'
import { readTraceContext } from '../../src/protocol/trace-context.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = '00f067aa0ba902b7'
const traceparent = `00-${TRACE}-${PARENT}-01`
const read = (meta: object | undefined): ReturnType<typeof readTraceContext> =>
  readTraceContext(meta && { _meta: meta })

describe("a request's trace context (https://modelcontextprotocol.io/specification/2026-07-28/basic#meta)", () => {
  it('contains all members of the metadata', () => {
    const meta = { traceparent, tracestate: 'vendor=a b,t@sys=1', baggage: 'user=ada;hidden,region = eu' }
    expect(read(meta)).toEqual({ ...meta, traceId: TRACE, parentId: PARENT, sampled: true })
  })

  it('is undefined if no member is valid', () => {
    for (const meta of [undefined, {}, { traceparent: 'x' }, { tracestate: 'a=1' }, { baggage: '' }])
      expect(read(meta)).toBeUndefined()
  })

  it('is marked as not sampled if the flag is not set', () => {
    for (const flags of ['00', '02', '10'])
      expect(read({ traceparent: `00-${TRACE}-${PARENT}-${flags}` })).toMatchObject({ sampled: false })
  })

  it('is read from later versions as far as possible (https://www.w3.org/TR/trace-context/#versioning-of-traceparent)', () => {
    expect(read({ traceparent: `cc-${TRACE}-${PARENT}-01-what-comes` })).toMatchObject({ traceId: TRACE })
  })

  it.each([
    ['version ff', `ff-${TRACE}-${PARENT}-01`],
    ['extra members in version 00', `${traceparent}-x`],
    ['capital letters', `00-${TRACE.toUpperCase()}-${PARENT}-01`],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${PARENT}-01`],
    ['a parent id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['a short trace id', `00-${TRACE.slice(1)}-${PARENT}-01`],
    ['a line break at its end', `${traceparent}\n`],
    ['a type other than string', 1],
  ])('omits a traceparent with %s, and its tracestate', (_what, given) => {
    expect(read({ traceparent: given, tracestate: 'a=1', baggage: 'b=2' })).toEqual({ baggage: 'b=2' })
  })

  it.each([
    ['a key in capitals', 'A=1'],
    ['a repeated key', 'a=1,a=2'],
    ['a value with an equals sign', 'a=1=2'],
    ['no value', 'a='],
    ['a line break', 'a=1\nb=2'],
    ['a type other than string', { a: 1 }],
  ])('omits a tracestate with %s', (_what, tracestate) => {
    expect(read({ traceparent, tracestate })).not.toHaveProperty('tracestate')
    expect(read({ traceparent, tracestate })).toHaveProperty('traceparent')
  })

  const members = (count: number): string => Array.from({ length: count }, (_, at) => `k${at}=1`).join(',')
  it.each([
    ['traceparent', '512 characters', `cc${traceparent.slice(2)}-`.padEnd(512, 'x'), true],
    ['traceparent', '513 characters', `cc${traceparent.slice(2)}-`.padEnd(513, 'x'), false],
    ['tracestate', 'no members', ', ,', false],
    ['tracestate', 'a member', 'a=1', true],
    ['tracestate', '32 members', members(32), true],
    ['tracestate', '33 members', members(33), false],
    ['tracestate', 'a key and a value of 256 characters', `${'k'.repeat(256)}=${'1'.repeat(256)}`, true],
    ['tracestate', 'a key of 257 characters', `${'k'.repeat(257)}=1`, false],
    ['tracestate', 'a value of 257 characters', `k=${'1'.repeat(257)}`, false],
    ['tracestate', '8192 characters', 'a=1'.padEnd(8_192, ','), true],
    ['tracestate', '8193 characters', 'a=1'.padEnd(8_193, ','), false],
    ['baggage', '8192 characters', 'a='.padEnd(8_192, '1'), true],
    ['baggage', '8193 characters', 'a='.padEnd(8_193, '1'), false],
    ['baggage', '180 members', members(180), true],
    ['baggage', '181 members', members(181), false],
  ])('has a limit for the size of %s: %s', (name, _what, text, taken) => {
    const found: object = read({ traceparent, [name]: text }) ?? {}
    expect(name in found).toBe(taken)
  })

  it('can contain a tracestate with empty members (https://www.w3.org/TR/trace-context/#list)', () => {
    expect(read({ traceparent, tracestate: 'a=1, ,\tb=2' })).toMatchObject({ tracestate: 'a=1, ,\tb=2' })
  })

  it.each([
    ['no value', 'a'],
    ['a key that is not a token', 'a b=1'],
    ['a quote in a value', 'a="1"'],
    ['a space in a value', 'a=1 2'],
    ['an empty member', 'a=1,,b=2'],
    ['a property that is not a token', 'a=1;(x)'],
    ['a property with an invalid end', 'a=1;x('],
    ['a type other than string', 7],
  ])('omits baggage with %s (https://www.w3.org/TR/baggage/#definition)', (_what, baggage) => {
    expect(read({ baggage })).toBeUndefined()
  })

  it('is parsed quickly even if its values are hostile', () => {
    const start = process.cpuUsage()
    const blanks = `a=1;${' '.repeat(8_000)}`
    for (const value of [blanks, `a=${' '.repeat(8_000)}x`, ','.repeat(8_000), '-'.repeat(500)])
      read({ traceparent: value, tracestate: value, baggage: value })
    const { user, system } = process.cpuUsage(start)
    expect((user + system) / 1_000).toBeLessThan(500)
  })
})
