import { describe, expect, it } from 'vitest'
import { type SseEvent, SseParser } from '../src/sse-parser.ts'

function parsed(text: string, size: number): SseEvent[] {
  const parser = new SseParser()
  const events: SseEvent[] = []
  for (let at = 0; at < text.length; at += size) events.push(...parser.push(text.slice(at, at + size)))
  return events
}

describe('the parser of event streams', () => {
  const stream =
    ': keep-alive\n\nid: 1\nretry: 3000\ndata:\n\nevent: message\r\ndata: a\r\ndata:b\r\n\r\ndata: cut off'
  const events = [
    { id: '1', retry: 3000, data: '' },
    { event: 'message', data: 'a\nb' },
  ]

  it.each([1, 2, 3, 7, 1000])('reads the same events out of pieces of %i characters', (size) => {
    expect(parsed(stream, size)).toEqual(events)
  })
})
