import type { Readable } from 'node:stream'
import { type AcceptedRequest, BodyError } from '@jetway/core/http'

const EMPTY = new Uint8Array()
const encoder = new TextEncoder()

/**
 * Reads a request's stream to its end. If the limit, in bytes, is exceeded, the rest is discarded, so that
 * the connection can be reused.
 *
 * The function waits for the end of the stream even if as many bytes as declared have been read. If a reply
 * is sent before the end of its request, Node, and servers built on it, drain the request again.
 *
 * @param accepted - the request, with its limits
 * @param done - called once, with the bytes or with an error: 413, 408 or 503 if a limit is exceeded, 400 if
 * the stream ends early
 */
export function collectStream(
  stream: Readable,
  { bodyLimit, reading }: Pick<AcceptedRequest, 'bodyLimit' | 'reading'>,
  done: (read: Uint8Array | BodyError) => void,
): void {
  if (stream.destroyed) return done(BodyError.endedEarly())
  let chunks: Uint8Array[] = []
  let size = 0
  let over = false
  function finish(read: Uint8Array | BodyError): void {
    over = true
    reading.end()
    chunks = []
    done(read)
  }
  reading.begin(finish)
  stream.on('data', (chunk: Uint8Array | string) => {
    if (over) return
    const bytes = typeof chunk === 'string' ? encoder.encode(chunk) : chunk
    size += bytes.byteLength
    const excess = size > bodyLimit ? BodyError.tooLarge(bodyLimit) : reading.add(bytes.byteLength)
    if (excess === undefined) chunks.push(bytes)
    else finish(excess)
  })
  stream.on('end', () => {
    if (!over) finish(chunks.length > 1 ? Buffer.concat(chunks, size) : (chunks[0] ?? EMPTY))
  })
  // The error is created only if needed, because every stream closes eventually, and an error costs more than the
  // rest.
  function failed(): void {
    if (!over) finish(BodyError.endedEarly())
  }
  stream.on('error', failed)
  // After a disconnect, a request always emits `close`, but it emits `error` only if there is a listener.
  stream.on('close', failed)
  // Middleware such as a decompressor may have paused the request, and adding a listener does not resume it.
  stream.resume()
}
