import { PassThrough } from 'node:stream'
import { settled } from '@jetway-apps/test-support'
import { BodyError, type BodyReading, readWebStream } from '@jetway/core/http'
import { collectStream } from '@jetway/node/adapter'
import { describe, expect, it } from 'vitest'

const LIMIT = 10
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** A request body that a test sends, and the promise of the reader. */
interface Body {
  readonly push: (text: string) => void
  readonly end: () => void
  readonly fail: () => void
  readonly read: Promise<Uint8Array | BodyError>
  /**
   * Returns true once the reader has given up on the body, and either discards the rest or has cancelled its
   * source.
   */
  readonly cancelled: () => boolean
}

/** Records how a reader ended. Rejects more than 100 bytes. */
class Reading implements BodyReading {
  ended = 0
  stop: (error: BodyError) => void = () => {}
  #bytes = 0
  begin(stop: (error: BodyError) => void): void {
    this.stop = stop
  }
  add(bytes: number): BodyError | undefined {
    this.#bytes += bytes
    return this.#bytes > 100 ? BodyError.tooMany() : undefined
  }
  end(): void {
    this.ended++
  }
}

const caught = (read: Promise<Uint8Array>): Promise<Uint8Array | BodyError> =>
  read.catch((error: unknown) => error as BodyError)

const READERS: [string, (reading: Reading, bodyLimit: number) => Body][] = [
  [
    'collectStream',
    (reading, bodyLimit) => {
      const stream = new PassThrough()
      return {
        push: (text) => void stream.write(text),
        end: () => void stream.end(),
        fail: () => void stream.destroy(new Error('reset')),
        read: new Promise((resolve) => collectStream(stream, { bodyLimit, reading }, resolve)),
        cancelled: () => stream.readableFlowing === true && !stream.destroyed,
      }
    },
  ],
  [
    'readWebStream',
    (reading, bodyLimit) => {
      let cancelled = false
      let control: ReadableStreamDefaultController<Uint8Array> | undefined
      const stream = new ReadableStream<Uint8Array>({
        start: (controller) => void (control = controller),
        cancel() {
          cancelled = true
          throw new Error('The host fails')
        },
      })
      return {
        push: (text) => void (cancelled || control?.enqueue(bytesOf(text))),
        end: () => control?.close(),
        fail: () => control?.error(new Error('reset')),
        read: caught(readWebStream(stream, { bodyLimit, reading })),
        cancelled: () => cancelled,
      }
    },
  ],
]

describe.each(READERS)('%s', (_, open) => {
  const start = (bodyLimit = LIMIT) => {
    const reading = new Reading()
    return { reading, ...open(reading, bodyLimit) }
  }
  const outcome = async (body: Body & { readonly reading: Reading }): Promise<unknown[]> => {
    const read = await body.read
    await settled()
    return [read instanceof BodyError ? read.status : new TextDecoder().decode(read), body.reading.ended]
  }

  it.each([
    ['no chunk', []],
    ['one chunk', ['0123456789']],
    ['several chunks that split characters', ['01', '234', '56789']],
  ])('returns a body of the maximum size in %s', async (_name, chunks) => {
    const body = start()
    for (const chunk of chunks) body.push(chunk)
    body.end()
    expect(await outcome(body)).toEqual([chunks.join(''), 1])
  })

  it('fails with 413 if the body is one byte too large, and with 503 if the mount holds too many bytes', async () => {
    const large = start()
    for (const chunk of ['0123456789', 'x']) large.push(chunk)
    expect([await outcome(large), large.cancelled()]).toEqual([[413, 1], true])
    const many = start(200)
    many.push('x'.repeat(100))
    many.push('x')
    expect([await outcome(many), many.cancelled()]).toEqual([[503, 1], true])
  })

  it('fails with 408 if the body takes too long, and with 400 if it ends early', async () => {
    const slow = start()
    slow.push('0')
    await settled()
    slow.reading.stop(BodyError.tooSlow(5))
    expect([await outcome(slow), slow.cancelled()]).toEqual([[408, 1], true])
    const cut = start()
    cut.push('0')
    cut.fail()
    expect(await outcome(cut)).toEqual([400, 1])
  })
})

describe('collectStream', () => {
  it('fails immediately with 400 if the stream has already ended', () => {
    const stream = new PassThrough()
    stream.destroy()
    const reading = new Reading()
    const done: unknown[] = []
    collectStream(stream, { bodyLimit: LIMIT, reading }, (read) => done.push(read))
    expect([done, reading.ended]).toEqual([[expect.objectContaining({ status: 400 })], 0])
  })

  it('reads a stream that middleware has paused, and calls back only once', async () => {
    const stream = new PassThrough()
    stream.pause()
    const done: unknown[] = []
    collectStream(stream, { bodyLimit: 1, reading: new Reading() }, (read) => done.push(read))
    for (const chunk of ['01', '23']) stream.write(chunk)
    stream.end()
    for (let turn = 0; turn < 3; turn++) await settled()
    expect(done).toHaveLength(1)
  })

  it('encodes the text of a stream that middleware has decoded', async () => {
    const stream = new PassThrough().setEncoding('utf8')
    const done: unknown[] = []
    collectStream(stream, { bodyLimit: 3, reading: new Reading() }, (read) => done.push(read))
    stream.end('aé')
    await settled()
    expect(done).toEqual([bytesOf('aé')])
  })
})
