import { type AcceptedRequest, BodyError } from '../types.ts'

/** A readable stream with Node's events, such as its requests. */
export interface ByteStream {
  readonly destroyed: boolean
  on(event: 'data', listener: (chunk: Uint8Array | string) => void): unknown
  on(event: 'end' | 'error' | 'close', listener: () => void): unknown
  resume(): unknown
}

const EMPTY = new Uint8Array()
const encoder = new TextEncoder()

/**
 * Reads a request's Node stream to its end. Beyond the limit, in bytes, it discards the rest, so
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
  stream: ByteStream,
  { bodyLimit, reading }: Pick<AcceptedRequest, 'bodyLimit' | 'reading'>,
  done: (read: Uint8Array | BodyError) => void,
): void {
  if (stream.destroyed) return done(BodyError.endedEarly())
  let first: Uint8Array | undefined
  let chunks: Uint8Array[] | undefined
  let size = 0
  let over = false
  const finish = (read: Uint8Array | BodyError): void => {
    over = true
    reading.end()
    if (read instanceof BodyError) first = chunks = undefined
    done(read)
  }
  reading.begin(finish)
  // Every stream closes in the end; an error for each of them would cost more than the rest.
  const fail = (): void => {
    if (!over) finish(BodyError.endedEarly())
  }
  stream.on('data', (chunk) => {
    if (over) return
    const bytes = typeof chunk === 'string' ? encoder.encode(chunk) : chunk
    size += bytes.byteLength
    const excess = size > bodyLimit ? BodyError.tooLarge(bodyLimit) : reading.add(bytes.byteLength)
    if (excess !== undefined) finish(excess)
    else if (first === undefined) first = bytes
    else (chunks ??= [first]).push(bytes)
  })
  stream.on('end', () => {
    if (!over) finish(chunks === undefined ? (first ?? EMPTY) : joined(chunks, size))
  })
  stream.on('error', fail)
  // After a disconnect a request closes, and emits an error only if there is a listener.
  stream.on('close', fail)
  // Middleware may have paused it, such as a decompressor, and then a listener does not start it.
  stream.resume()
}

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

/**
 * Takes a body that the host reads as a whole.
 *
 * @param declared - its length in bytes, as the client says
 * @throws BodyError as a rejection: 413, 408 or 503 beyond a limit, 400 if it ends early
 */
export function readWhole(
  body: Promise<ArrayBuffer>,
  declared: number,
  { bodyLimit, reading }: Pick<AcceptedRequest, 'bodyLimit' | 'reading'>,
): Promise<Uint8Array> {
  const excess = reading.add(declared)
  return new Promise<Uint8Array>((resolve, reject) => {
    reading.begin(reject)
    if (excess !== undefined) reject(excess)
    body.then(
      (whole) => {
        if (whole.byteLength > bodyLimit) reject(BodyError.tooLarge(bodyLimit))
        else resolve(new Uint8Array(whole))
      },
      () => reject(BodyError.endedEarly()),
    )
  }).finally(() => reading.end())
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
