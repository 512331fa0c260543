import type { Readable } from 'node:stream'
import { type AcceptedRequest, BodyError } from '@jetway/core/http'

const EMPTY = new Uint8Array()
const encoder = new TextEncoder()

/**
 * Reads a request's stream to its end. Beyond the limit, in bytes, it discards the rest, so
 * that the connection survives.
 *
 * It waits for the end even when the declared length is complete: a reply before the end of its request makes
 * Node, and servers on top of it, drain the request again.
 *
 * @param accepted - the request, with its limits
 * @param done - called once, with the bytes, or with 413, 408 or 503 beyond a limit and
 *   400 if the stream ends early
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
  // Every stream closes eventually, and creating an error for each would cost more than the rest.
  function failed(): void {
    if (!over) finish(BodyError.endedEarly())
  }
  stream.on('error', failed)
  // After a disconnect, a request closes, and emits an error only if there is a listener.
  stream.on('close', failed)
  // Middleware such as a decompressor may have paused the request, so that a listener does not start it.
  stream.resume()
}
