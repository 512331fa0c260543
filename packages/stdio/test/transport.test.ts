import { settled } from '@jetway-apps/test-support'
import { PassThrough, Readable, Writable } from 'node:stream'
import type { TransportClose } from '@jetway/core/transport'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { StdioTransport, type StdioTransportOptions } from '../src/transport.ts'

interface SetUp {
  readonly input: PassThrough
  readonly transport: StdioTransport
  readonly messages: string[]
  readonly malformed: string[]
  readonly closed: Promise<TransportClose>
}

function setUp(
  options: StdioTransportOptions = {},
  onMessage: (text: string) => void | Promise<void> = () => {},
): SetUp & { readonly output: PassThrough } {
  const input = new PassThrough()
  const output = new PassThrough()
  const transport = new StdioTransport({ input, output, ...options })
  const messages: string[] = []
  const malformed: string[] = []
  const closed = new Promise<TransportClose>((resolve) => {
    transport.start({
      message(text) {
        messages.push(text)
        return onMessage(text)
      },
      malformed: (reason) => void malformed.push(reason),
      close: resolve,
    })
  })
  return { input, output, transport, messages, malformed, closed }
}

/** An output whose writes finish when the test says so. */
class SlowOutput extends Writable {
  readonly writes: string[] = []
  #done: (() => void) | undefined

  constructor() {
    super({ highWaterMark: 16, decodeStrings: false })
  }
  override _write(chunk: string, _encoding: BufferEncoding, done: () => void): void {
    this.writes.push(chunk)
    this.#done = done
  }
  release(): void {
    const done = this.#done
    this.#done = undefined
    done?.()
  }
}

describe('StdioTransport', () => {
  it('delivers every line, even if more input arrives during delivery', async () => {
    const input = new Readable({ read() {} })
    const messages: string[] = []
    const message = (text: string): void => {
      messages.push(text)
      if (text === '1') input.push('3\n')
    }
    new StdioTransport({ input, output: new PassThrough() }).start({
      message,
      malformed: () => {},
      close: () => {},
    })
    await settled()
    input.push('1\n2\n')
    await settled()
    expect(messages).toEqual(['1', '2', '3'])
  })

  it.each([
    ['1 MiB in one chunk, including 512 bytes of overhead', [1024 * 1024 - 512], [1]],
    ['2,044 chunks of one byte', Array.from({ length: 2_044 }, () => 1), [1]],
  ])('reads ahead while a message is being handled, and pauses after %s', (_, chunks, more) => {
    const { input } = setUp({}, () => new Promise(() => {}))
    input.emit('data', Buffer.from('{}\n'))
    for (const size of chunks) input.emit('data', Buffer.alloc(size, 'x'))
    expect(input.isPaused()).toBe(false)
    for (const size of more) input.emit('data', Buffer.alloc(size, 'x'))
    expect(input.isPaused()).toBe(true)
  })

  it('delivers lines, and continues after an invalid line', async () => {
    const { input, messages, malformed, closed } = setUp({ maxLineBytes: 20 })
    input.write('{"a":1}\n')
    input.write(Buffer.from([0x22, 0xc3, 0x28, 0x22, 0x0a]))
    input.write(`${'x'.repeat(50)}\n{"a":2}\r\n`)
    input.end()
    expect(await closed).toEqual({ kind: 'end' })
    expect(messages).toEqual(['{"a":1}', '{"a":2}'])
    expect(malformed).toEqual(['The line is not valid UTF-8', 'The line is longer than 20 bytes'])
  })

  it('stops delivering lines, even within a chunk, until the handler’s promise settles', async () => {
    const releases: (() => void)[] = []
    const { input, messages, closed } = setUp({}, () => new Promise((resolve) => releases.push(resolve)))
    input.end('1\n2\n3\n')
    await settled()
    expect(messages).toEqual(['1'])
    releases.shift()?.()
    await settled()
    expect(messages).toEqual(['1', '2'])
    releases.shift()?.()
    await settled()
    expect(messages).toEqual(['1', '2', '3'])
    releases.shift()?.()
    expect(await closed).toEqual({ kind: 'end' })
  })

  it('writes the last responses after the peer has closed its side', async () => {
    const { input, output, transport, closed } = setUp()
    input.end()
    await closed
    void transport.send('{"late":true}')
    await transport.close()
    expect(String(output.read())).toBe('{"late":true}\n')
    expect(output.writableEnded).toBe(true)
  })

  it('combines all frames sent in one turn of the event loop into a single write', async () => {
    const output = new SlowOutput()
    const { transport } = setUp({ output })
    for (let i = 0; i < 100; i++) void transport.send(`{"id":${i}}`)
    await settled()
    expect(output.writes).toHaveLength(1)
    expect(output.writes[0]?.split('\n')).toHaveLength(101)
  })

  it.each([
    [65_534, 0],
    [65_535, 1],
  ])(
    'writes a frame of %i characters in the next turn, or immediately if it has 64 KiB or more',
    async (length, writes) => {
      const output = new SlowOutput()
      const { transport } = setUp({ output, maxQueuedBytes: 100_000 })
      void transport.send('x'.repeat(length))
      expect([output.writes.length, transport.queued]).toEqual([writes, length + 1])
      await settled()
      expect([output.writes.length, transport.queued]).toEqual([1, length + 1])
    },
  )

  it('accepts strings as input chunks', async () => {
    const { input, messages, closed } = setUp()
    input.setEncoding('utf8')
    input.end('"é"\n')
    await closed
    expect(messages).toEqual(['"é"'])
  })

  it('closes after the last write', async () => {
    const output = new SlowOutput()
    const { transport } = setUp({ output })
    void transport.send('last')
    await settled()
    let closed = false
    const closing = transport.close().then(() => (closed = true))
    await settled()
    expect(closed).toBe(false)
    // Closing has queued another, empty write.
    output.release()
    await settled()
    output.release()
    await closing
    expect(output.writes[0]).toBe('last\n')
  })

  it('removes line breaks within a frame', async () => {
    const output = new SlowOutput()
    const { transport } = setUp({ output })
    void transport.send('{\r\n  "id": 1\n}')
    await settled()
    expect(output.writes).toEqual(['{   "id": 1 }\n'])
  })

  it('returns a promise from `send` while the peer is slow, and preserves the order of frames', async () => {
    const output = new SlowOutput()
    const { transport } = setUp({ output, maxQueuedBytes: 32 })
    expect(transport.send('x'.repeat(64))).toBeUndefined()
    await settled()
    const second = transport.send('second')
    const third = transport.send('third')
    expect(second).toBeInstanceOf(Promise)
    expect(output.writes).toHaveLength(1)
    output.release()
    await Promise.all([second, third])
    await settled()
    expect(output.writes.slice(1)).toEqual(['second\nthird\n'])
    expect(transport.send('fourth')).toBeUndefined()
  })

  it('writes queued frames in parts of at most 1 MiB, and resolves `send` after the last part', async () => {
    const output = new SlowOutput()
    const { transport } = setUp({ output, maxQueuedBytes: 32 })
    void transport.send('first'.padEnd(64))
    await settled()
    const line = 'x'.repeat(400_000)
    let caughtUp = false
    for (let i = 0; i < 5; i++) void transport.send(line)
    const sent = Promise.resolve(transport.send('y'.repeat(3_000_000))).then(() => (caughtUp = true))
    const waiting: unknown[] = []
    for (let piece = 0; piece < 4; piece++) {
      output.release()
      await settled()
      waiting.push([output.writes.at(-1)?.length, transport.queued, caughtUp])
    }
    expect(waiting).toEqual([
      [800_002, 5_000_006, false],
      [800_002, 4_200_004, false],
      [400_001, 3_400_002, false],
      [3_000_001, 3_000_001, false],
    ])
    output.release()
    await sent
    expect([output.writes.length, transport.queued]).toEqual([5, 0])
  })

  it('stops reading while the peer is slow', async () => {
    const output = new SlowOutput()
    const { input, transport, messages } = setUp({ output, maxQueuedBytes: 32 })
    void transport.send('x'.repeat(64))
    await settled()
    input.write('1\n2\n')
    await settled()
    expect(messages).toEqual(['1'])
    output.release()
    await settled()
    expect(messages).toEqual(['1', '2'])
  })

  it('reports the end of the input immediately, but delivers buffered messages before it closes', async () => {
    const releases: (() => void)[] = []
    const ended = vi.fn<() => void>()
    const { input, messages, closed } = setUp(
      { onInputEnd: ended },
      () => new Promise((resolve) => releases.push(resolve)),
    )
    input.write('1\n')
    await settled()
    input.write('2\n')
    input.end('3')
    await vi.waitFor(() => expect(ended).toHaveBeenCalled())
    expect(messages).toEqual(['1'])
    while (releases.length > 0) {
      releases.shift()?.()
      await settled()
    }
    await closed
    expect(messages).toEqual(['1', '2', '3'])
    await settled()
    expect(ended).toHaveBeenCalledTimes(1)
  })

  it('limits the number of bytes that it reads ahead', async () => {
    let release = (): void => {}
    const { input, messages } = setUp({}, () => new Promise((resolve) => (release = resolve)))
    const chunk = Buffer.alloc(64 * 1024, 'x')
    input.write('1\n')
    let taken = 0
    for (; taken < 100 && input.writableLength + input.readableLength < 256 * 1024; taken++) {
      input.write(chunk)
      await settled()
    }
    expect(taken).toBeGreaterThan(10)
    expect(taken).toBeLessThan(30)
    input.write('\n2\n')
    release()
    await settled()
    await settled()
    expect(messages.map((text) => text.length)).toEqual([1, taken * chunk.length])
  })

  it('drops a message if its signal aborts before the write', async () => {
    const output = new SlowOutput()
    const { transport } = setUp({ output })
    const controller = new AbortController()
    void transport.send('dropped', { signal: controller.signal })
    void transport.send('kept')
    controller.abort()
    await settled()
    expect(output.writes).toEqual(['kept\n'])
  })

  it.each(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED'])(
    'closes without an error when the output fails with %s',
    async (code) => {
      const output = new Writable({
        write: (_chunk, _encoding, done) => done(Object.assign(new Error('write failed'), { code })),
      })
      const { transport, closed } = setUp({ output })
      void transport.send('1')
      expect(await closed).toEqual({ kind: 'end' })
      expect(transport.writable).toBe(false)
      expect(transport.send('2')).toBeUndefined()
      await transport.close()
    },
  )

  it('reports the error when the output fails', async () => {
    const failure = Object.assign(new Error('disk full'), { code: 'ENOSPC' })
    const output = new Writable({ write: (_chunk, _encoding, done) => done(failure) })
    const { transport, closed } = setUp({ output })
    void transport.send('1')
    expect(await closed).toEqual({ kind: 'error', error: failure })
  })

  it('closes when the input fails or is destroyed', async () => {
    const failure = new Error('read failed')
    const broken = setUp()
    broken.input.destroy(failure)
    expect(await broken.closed).toEqual({ kind: 'error', error: failure })
    const gone = setUp()
    gone.input.destroy()
    expect(await gone.closed).toEqual({ kind: 'end' })
  })

  it('calls its close handler once, even if `close` is called repeatedly', async () => {
    let heard = 0
    const transport = new StdioTransport({ input: Readable.from([]), output: new PassThrough() })
    transport.start({ message: () => {}, malformed: () => {}, close: () => void heard++ })
    await Promise.all([transport.close(), transport.close()])
    transport.destroy()
    await transport.close()
    expect(heard).toBe(1)
  })

  it('closes promptly when it is destroyed, even if the peer does not read', async () => {
    const output = new SlowOutput()
    const { transport, closed } = setUp({ output, maxQueuedBytes: 8 })
    void transport.send('x'.repeat(100))
    await settled()
    void transport.send('never read')
    const closing = transport.close()
    transport.destroy()
    await closing
    expect(await closed).toEqual({ kind: 'end' })
  })

  it('removes its listeners when it closes, except those for late errors', async () => {
    const [input, output] = [new PassThrough(), new SlowOutput()]
    const listeners = (): unknown[] =>
      ['data', 'end', 'close', 'drain', 'error'].map((name) => [
        name,
        input.listenerCount(name),
        output.listenerCount(name),
      ])
    const before = listeners()
    const transport = new StdioTransport({ input, output, write: () => true })
    transport.start({ message: () => {}, malformed: () => {}, close: () => {} })
    transport.destroy()
    await transport.close()
    expect(listeners().slice(0, 4)).toEqual(before.slice(0, 4))
    expect(listeners()[4]).toEqual(['error', 1, 1])
  })

  it.each([
    ['ends its output', undefined, true],
    ['does not end the output of a caller that passed `write`', () => true, false],
  ])('%s when it closes', async (_, write, ended) => {
    const { transport, output } = setUp({ ...(write && { write }) })
    await transport.close()
    expect(output.writableEnded).toBe(ended)
  })

  it("does not end the process's own output", async () => {
    const end = vi.spyOn(process.stdout, 'end').mockReturnThis()
    onTestFinished(() => end.mockRestore())
    await new StdioTransport({ input: new PassThrough() }).close()
    expect(end).not.toHaveBeenCalled()
  })

  it('drops the pending write when it is destroyed', async () => {
    const { transport } = setUp({ output: new SlowOutput() })
    void transport.send('never read')
    const closing = transport.close()
    await settled()
    transport.destroy()
    await closing
  })

  it('throws if it is started twice', () => {
    const { transport } = setUp()
    expect(() => transport.start({ message: () => {}, malformed: () => {}, close: () => {} })).toThrow(
      /started already/,
    )
  })
})
