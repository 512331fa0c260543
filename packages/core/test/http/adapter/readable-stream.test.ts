import { settled } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { streamHeaders, toReadableStream } from '../../../src/http/adapter/readable-stream.ts'
import { type WebConnection, WebRequest } from '../../../src/http/adapter/web-request.ts'
import type { FrameSink } from '../../../src/http/types.ts'

class Incoming extends WebRequest {
  constructor(connection: WebConnection) {
    super(new Request('http://localhost/mcp'), connection)
  }
}

/** Opens a stream reply as a host would. Returns the events that the adapter observes. */
function opened() {
  const seen: string[] = []
  let sink: FrameSink | undefined
  const reply = { status: 200, headers: {}, open: (given: FrameSink) => void (sink = given) }
  const request = new Incoming({
    peer: undefined,
    authority: undefined,
    isQueued: false,
    onTurn: (listener) => listener(true),
    stallLimit: () => ({ begin: () => void seen.push('begin'), end: () => void seen.push('end') }),
    watch: () => {},
  })
  request.signal.addEventListener('abort', () => seen.push('leave'))
  const stream = toReadableStream(reply, request)
  const write = (chunk: string): void | Promise<void> => sink?.write(chunk)
  return { seen, write, close: () => sink?.close(), reader: stream.getReader() }
}

describe('a stream reply as a ReadableStream', () => {
  it('makes the writer wait while 16 KiB are queued, and measures only the waiting time', async () => {
    const { seen, write, reader } = opened()
    await settled()
    expect(write('x'.repeat(16_383))).toBeUndefined()
    expect(seen).toEqual([])
    const waits = write('é')
    expect(write('z')).toBe(waits)
    expect(seen).toEqual(['begin'])
    for (let i = 0; i < 3; i++) await reader.read()
    await waits
    expect(seen).toEqual(['begin', 'end'])
    expect(write('again')).toBeUndefined()
    expect(write('x'.repeat(16_384))).toBeInstanceOf(Promise)
    expect(seen).toEqual(['begin', 'end', 'begin'])
  })

  it('ends after its last chunk', async () => {
    const { write, close, reader } = opened()
    void write('last')
    close()
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('last')
    expect((await reader.read()).done).toBe(true)
    expect(write('late')).toBeUndefined()
  })

  it('stops making the writer wait when the reader cancels', async () => {
    const { seen, write, close, reader } = opened()
    const waits = write('x'.repeat(20_000))
    await reader.cancel()
    await waits
    expect(write('late')).toBeUndefined()
    close()
    expect(seen).toEqual(['begin', 'leave'])
  })

  it('has a unique ETag', () => {
    const [one, two] = [streamHeaders({ a: '1' }), streamHeaders({ a: '1' })]
    expect(one).toEqual({ a: '1', etag: expect.stringMatching(/^W\/"[\w-]{36}"$/) as string })
    expect(one['etag']).not.toBe(two['etag'])
  })
})
