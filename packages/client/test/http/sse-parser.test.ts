import { describe, expect, it } from 'vitest'
import { type SseEvent, SseOverflowError, SseParser } from '../../src/http/sse-parser.ts'

function parsed(text: string, size: number): SseEvent[] {
  const parser = new SseParser()
  const events: SseEvent[] = []
  for (let at = 0; at < text.length; at += size) events.push(...parser.push(text.slice(at, at + size)))
  return events
}

describe('the event stream parser', () => {
  const stream =
    ': keep-alive\n\nid: 1\nretry: 3000\ndata:\n\nevent: message\r\ndata: a\r\ndata:b\r\n\r\ndata: cut off'
  const events = [
    { id: '1', retry: 3000, data: '' },
    { event: 'message', data: 'a\nb' },
  ]

  it.each([1, 2, 3, 7, 1000])('reads the same events from pieces of %i characters', (size) => {
    expect(parsed(stream, size)).toEqual(events)
  })
})

describe('https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation', () => {
  it.each<[string, string, readonly SseEvent[]]>([
    [
      'a byte order mark at the beginning, and none later',
      '\uFEFFdata: a\n\ndata: \uFEFFb\n\n',
      [{ data: 'a' }, { data: '\uFEFFb' }],
    ],
    ['one space after the colon, no more', 'data:  a\n\n', [{ data: ' a' }]],
    ['a field without a colon', 'data\n\n', [{ data: '' }]],
    ['an id with a NUL', 'id: a\0b\ndata: c\n\n', [{ data: 'c' }]],
    ['an empty id, which takes the last one back', 'id:\ndata: c\n\n', [{ data: 'c', id: '' }]],
    ['a retry that is no number', 'retry: 1s\ndata: c\n\n', [{ data: 'c' }]],
    ['fields that it does not know', 'datum: x\n:data: y\ndata: c\n\n', [{ data: 'c' }]],
    ['a CR alone as the end of a line', 'data: a\rdata: b\r\rdata: c\n\n', [{ data: 'a\nb' }, { data: 'c' }]],
    ['a CRLF that is one end, also between pieces', 'data: a\r\ndata: b\r\n\r\n', [{ data: 'a\nb' }]],
    ['other characters that end lines elsewhere', 'data: a\u2028b\u0085c\n\n', [{ data: 'a\u2028b\u0085c' }]],
  ])('%s', (_, stream, events) => {
    for (const size of [1, 1000]) expect(parsed(stream, size)).toEqual(events)
  })

  it.each([
    ['in one line', 'data: 0123456789'],
    ['in many', 'data: 0\ndata: 1\ndata: 2\ndata: 3\n'],
    ['in comments', ':\n:0123456789'],
  ])('drops an event over the limit: %s', (_, stream) => {
    const parser = new SseParser(10)
    expect(() => parser.push(stream)).toThrow(SseOverflowError)
  })

  it('reads a growing line once, and gives up at the limit', () => {
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
