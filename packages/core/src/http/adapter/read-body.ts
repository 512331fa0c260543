import { type AcceptedRequest, BodyError } from '../types.ts'

/**
 * Reads a web stream to its end, or until a limit is exceeded. One limit applies to the bytes of a single
 * body, another to all bodies being read.
 *
 * @throws BodyError as a rejection: 413, 408 or 503 if a limit is exceeded, 400 if the stream ends
 * prematurely
 */
export async function readWebStream(
  stream: ReadableStream<Uint8Array>,
  { bodyLimit, reading }: Pick<AcceptedRequest, 'bodyLimit' | 'reading'>,
): Promise<Uint8Array> {
  const reader = stream.getReader()
  const cancel = (): void => void reader.cancel().catch(() => {})
  const chunks: Uint8Array[] = []
  let size = 0
  let slow: BodyError | undefined
  reading.begin((error) => {
    slow = error
    cancel()
  })
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw BodyError.endedEarly()
      })
      // A cancelled stream cannot be distinguished from a complete one here.
      if (slow !== undefined) throw slow
      if (done) return joined(chunks, size)
      size += value.byteLength
      const excess = size > bodyLimit ? BodyError.tooLarge(bodyLimit) : reading.add(value.byteLength)
      if (excess !== undefined) {
        cancel()
        throw excess
      }
      chunks.push(value)
    }
  } finally {
    reading.end()
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
