import { type AcceptedRequest, BodyError } from '../types.ts'

/**
 * Reads a web stream to its end, or until it exceeds a limit: the bytes of one body, or those of the reading.
 *
 * @throws BodyError as a rejection: 413, 408 or 503 beyond a limit, 400 if the stream ends early
 */
export async function readWebStream(
  stream: ReadableStream<Uint8Array>,
  { bodyLimit, reading }: Pick<AcceptedRequest, 'bodyLimit' | 'reading'>,
): Promise<Uint8Array> {
  const reader = stream.getReader()
  let slow: BodyError | undefined
  reading.begin((error) => {
    slow = error
    cancel(reader)
  })
  try {
    const whole = await readAll(reader, (bytes, size) => {
      const excess = size > bodyLimit ? BodyError.tooLarge(bodyLimit) : reading.add(bytes)
      if (excess === undefined) return
      cancel(reader)
      throw excess
    })
    // A cancelled stream ends like a complete one.
    if (slow !== undefined) throw slow
    return whole
  } finally {
    reading.end()
  }
}

function cancel(reader: ReadableStreamDefaultReader<Uint8Array>): void {
  void reader.cancel().catch(() => {})
}

async function readAll(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  check: (bytes: number, size: number) => void,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw BodyError.endedEarly()
    })
    if (done) return joined(chunks, size)
    size += value.byteLength
    check(value.byteLength, size)
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
