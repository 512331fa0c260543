import { describe, expect, it } from 'vitest'
import { type SseEvent, SseOverflowError, SseParser } from '../../src/http/sse-parser.ts'

function parsed(text: string, size: number): SseEvent[] {
  const parser = new SseParser()
  const events: SseEvent[] = []
  for (let at = 0; at < text.length; at += size) events.push(...parser.push(text.slice(at, at + size)))
  return events
}

describe('SseParser', () => {
  const stream =
    ': keep-alive\n\nid: 1\nretry: 3000\ndata:\n\nevent: message\r\ndata: a\r\ndata:b\r\n\r\ndata: cut off'
  const events = [
    { id: '1', retry: 3000, data: '' },
    { event: 'message', data: 'a\nb' },
  ]

  it.each([1, 2, 3, 7, 1000])('reads the same events from chunks of %i characters', (size) => {
    expect(parsed(stream, size)).toEqual(events)
  })
})

describe('parsing an event stream, https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation', () => {
  it.each<[string, string, readonly SseEvent[]]>([
    [
      'removes only a leading byte order mark',
      '\uFEFFdata: a\n\ndata: \uFEFFb\n\n',
      [{ data: 'a' }, { data: '\uFEFFb' }],
    ],
    ['removes only one space after the colon', 'data:  a\n\n', [{ data: ' a' }]],
    ['reads a field without a colon', 'data\n\n', [{ data: '' }]],
    ['ignores an id with a NUL', 'id: a\0b\ndata: c\n\n', [{ data: 'c' }]],
    ['resets the id after an empty id', 'id:\ndata: c\n\n', [{ data: 'c', id: '' }]],
    ['ignores a retry that is not a number', 'retry: 1s\ndata: c\n\n', [{ data: 'c' }]],
    ['ignores unknown fields', 'datum: x\n:data: y\ndata: c\n\n', [{ data: 'c' }]],
    ['ends a line at a single CR', 'data: a\rdata: b\r\rdata: c\n\n', [{ data: 'a\nb' }, { data: 'c' }]],
    ['ends one line at a CRLF, even across chunks', 'data: a\r\ndata: b\r\n\r\n', [{ data: 'a\nb' }]],
    [
      'does not end a line at other line separators',
      'data: a\u2028b\u0085c\n\n',
      [{ data: 'a\u2028b\u0085c' }],
    ],
  ])('%s', (_, stream, events) => {
    for (const size of [1, 1000]) expect(parsed(stream, size)).toEqual(events)
  })

  it.each([
    ['in one line', 'data: 0123456789'],
    ['in several lines', 'data: 0\ndata: 1\ndata: 2\ndata: 3\n'],
    ['in comments', ':\n:0123456789'],
  ])('rejects an event that exceeds the limit %s', (_, stream) => {
    const parser = new SseParser(10)
    expect(() => parser.push(stream)).toThrow(SseOverflowError)
  })

  it('scans a growing line only once, and throws at the size limit', () => {
    const limit = 32 * 1024 * 1024
    const parser = new SseParser(limit)
    const piece = 'x'.repeat(16 * 1024)
    const start = process.cpuUsage()
    let pushed = 0
    const grow = (): void => {
      for (; pushed <= 2 * limit; pushed += piece.length) parser.push(piece)
    }
    expect(grow).toThrow(SseOverflowError)
    expect(pushed).toBeLessThanOrEqual(limit)
    const { user, system } = process.cpuUsage(start)
    expect(user + system).toBeLessThan(5_000_000)
  })

  it('reads any number of events below the limit', () => {
    const parser = new SseParser(10)
    for (let i = 0; i < 100; i++) expect(parser.push('data: 1\n\n')).toEqual([{ data: '1' }])
  })
})
