import { describe, expect, it } from 'vitest'
import { headerOf, type Reply, ReplyReader } from '../src/load/reply-reader.ts'

function readIn(pieces: readonly string[]): (Reply | undefined)[] {
  const reader = new ReplyReader()
  return pieces.map((piece) => reader.push(Buffer.from(piece)))
}

const WHOLE = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n{"é":1}'

describe('ReplyReader', () => {
  it('returns a reply with Content-Length when its last byte arrives, regardless of how the reply is split', () => {
    const bytes = Buffer.from(WHOLE)
    for (let cut = 1; cut < bytes.length; cut++) {
      const reader = new ReplyReader()
      expect(reader.push(bytes.subarray(0, cut))).toBeUndefined()
      expect(reader.push(bytes.subarray(cut))?.body()).toBe('{"é":1}')
    }
  })

  it('joins the chunks of a reply', () => {
    const [open, last] = readIn([
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n',
      '2\r\nef\r\n0\r\n\r\n',
    ])
    expect(open).toBeUndefined()
    expect(last?.body()).toBe('abcdef')
  })

  it('returns a reply without a body as soon as its headers are complete', () => {
    const [reply] = readIn(['HTTP/1.1 204 No Content\r\nConnection: keep-alive\r\n\r\n'])
    expect(reply).toMatchObject({ status: 204, bodyBytes: 0 })
  })

  it('consumes every byte of a reply', () => {
    const [first, second] = readIn([WHOLE, 'HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno'])
    expect(first).toMatchObject({ status: 200, bodyBytes: 8 })
    expect(second).toMatchObject({ status: 404, bodyBytes: 2 })
    expect(second?.body()).toBe('no')
  })
})

it('headerOf() finds a header regardless of case, and preserves the case of its value', () => {
  const head = 'HTTP/1.1 200 OK\r\nMcp-Session-Id: aBc\r\nx: y'
  expect(headerOf(head, 'mcp-session-id')).toBe('aBc')
  expect(headerOf(head, 'x')).toBe('y')
  expect(headerOf(head, 'session-id')).toBeUndefined()
})
