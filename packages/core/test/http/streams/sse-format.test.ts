import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatEvent, formatEventId, KEEP_ALIVE, parseEventId } from '../../../src/http/streams/sse-format.ts'
import { parseSse } from '../support/harness.ts'

const token = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/)

describe('formatEvent()', () => {
  it('formats the fields of an event', () => {
    expect(formatEvent({ data: '{"a":1}' })).toBe('data: {"a":1}\n\n')
    expect(formatEvent({ id: 'a.b.0', retry: 1000, data: '' })).toBe('id: a.b.0\nretry: 1000\ndata: \n\n')
    expect(formatEvent({ event: 'endpoint', data: '/message' })).toBe('event: endpoint\ndata: /message\n\n')
  })

  it('formats any data as a single event', () => {
    const text = fc
      .array(fc.oneof(fc.string(), fc.constantFrom('\n', '\r', '\r\n', '\n\n', 'id: x', 'data: y', ':')))
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, (data) => {
        const events = parseSse(formatEvent({ id: 'a.b.1', data }))
        return (
          events.length === 1 &&
          events[0]?.id === 'a.b.1' &&
          events[0].data === data.replace(/\r\n|\r/g, '\n')
        )
      }),
    )
  })

  it('throws for an id or a name that could forge an event', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('\r', '\n', '\0'), fc.string(), (before, breaker, after) => {
        const forged = `${before}${breaker}${after}`
        expect(() => formatEvent({ data: 'x', id: forged })).toThrow(TypeError)
        expect(() => formatEvent({ data: 'x', event: forged })).toThrow(TypeError)
        expect(() => formatEventId({ stream: forged, epoch: 'a', seq: 1 })).toThrow(TypeError)
        expect(() => formatEventId({ stream: 'a', epoch: forged, seq: 1 })).toThrow(TypeError)
      }),
    )
  })

  it('is not used for keep-alives, so that parsers do not report them as events', () =>
    expect(parseSse(KEEP_ALIVE)).toEqual([]))
})

describe('formatEventId and parseEventId', () => {
  it('convert a stream, epoch and position in both directions', () => {
    fc.assert(
      fc.property(token, token, fc.nat(1_000_000_000), (stream, epoch, seq) => {
        expect(parseEventId(formatEventId({ stream, epoch, seq }))).toEqual({ stream, epoch, seq })
      }),
    )
  })

  it('reject every other format', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const id = parseEventId(text)
        return id === undefined || formatEventId(id) === text
      }),
    )
    for (const text of [
      'a.b',
      'a.b.c',
      'a.b.1.2',
      'a.b.1e3',
      'a.b. 1',
      'a..1',
      '.b.1',
      'a.b.1\n',
      'a.b.1234567890123456',
    ]) {
      expect(parseEventId(text)).toBeUndefined()
    }
  })
})
