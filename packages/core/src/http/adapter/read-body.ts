import { BodyError } from '../types.ts'

/** A readable stream with Node's events, such as its requests. */
export interface ByteStream {
  readonly destroyed: boolean
  on(event: 'data', listener: (chunk: Uint8Array | string) => void): unknown
  on(event: 'end' | 'error' | 'close', listener: () => void): unknown
}

const EMPTY = new Uint8Array()
const encoder = new TextEncoder()

/**
 * Reads a request's Node stream to its end. Beyond the limit, in bytes, it discards the rest, so that the connection
 * survives.
 *
 * It waits for the end even when the declared length is complete: a reply before the end of its request makes Node, and
 * servers on top of it, drain the request again.
 *
 * @param done - called once, with the bytes, or with 413 beyond the limit and 400 if the stream ends early
 */
export function collectStream(
  stream: ByteStream,
  limit: number,
  done: (read: Uint8Array | BodyError) => void,
): void {
  if (stream.destroyed) return done(BodyError.endedEarly())
  let first: Uint8Array | undefined
  let chunks: Uint8Array[] | undefined
  let size = 0
  let over = false
  const finish = (read: Uint8Array | BodyError): void => {
    over = true
    done(read)
  }
  // Every stream closes in the end; an error for each of them would cost more than the rest.
  const fail = (): void => {
    if (!over) finish(BodyError.endedEarly())
  }
  stream.on('data', (chunk) => {
    if (over) return
    const bytes = typeof chunk === 'string' ? encoder.encode(chunk) : chunk
    size += bytes.byteLength
    if (size > limit) {
      first = chunks = undefined
      finish(BodyError.tooLarge(limit))
    } else if (first === undefined) first = bytes
    else (chunks ??= [first]).push(bytes)
  })
  stream.on('end', () => {
    if (!over) finish(chunks === undefined ? (first ?? EMPTY) : joined(chunks, size))
  })
  stream.on('error', fail)
  // After a disconnect a request closes, and emits an error only if there is a listener.
  stream.on('close', fail)
}

/**
 * Reads a web stream to its end, or until it exceeds the limit, in bytes.
 *
 * @throws BodyError as a rejection: 413 beyond the limit, 400 if the stream ends early
 */
export async function readWebStream(stream: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array> {
  const reader = stream.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw BodyError.endedEarly()
    })
    if (done) return joined(chunks, size)
    size += value.byteLength
    if (size > limit) {
      void reader.cancel().catch(() => {})
      throw BodyError.tooLarge(limit)
    }
    chunks.push(value)
  }
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = chunks
  if (only !== undefined && chunks.length === 1) return only
  const whole = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.byteLength
  }
  return whole
}
