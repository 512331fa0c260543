/** A reply that was read, up to a limit. */
export interface Reply {
  readonly status: number
  readonly statusText: string
  readonly headers: Headers
  /** The media type without parameters, in lower case. */
  readonly type: string
  readonly bytes: Uint8Array
  /** Whether the body is longer than `bytes`. */
  readonly isCut: boolean
}

/** How many bytes arrive between two reports of progress. */
const REPORT_BYTES = 256 * 1024

interface Reading {
  readonly limit: number
  /** Reports how many bytes have arrived, and how many there are, if that is known. */
  readonly progress?: ((received: number, total: number | undefined) => void) | undefined
}

/** Reads a body, decompressed, up to a limit. The rest is not downloaded. */
export async function readReply(response: Response, { limit, progress }: Reading): Promise<Reply> {
  const { status, statusText, headers } = response
  const type = (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  const head = { status, statusText, headers, type }
  const reader = response.body?.getReader()
  if (reader === undefined) return { ...head, bytes: new Uint8Array(), isCut: false }
  const length = Number(headers.get('content-length') ?? Number.NaN)
  const total = Number.isSafeInteger(length) && !headers.has('content-encoding') ? length : undefined
  const chunks: Uint8Array[] = []
  let received = 0
  let reported = 0
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    chunks.push(chunk.value)
    received += chunk.value.length
    if (received > limit) {
      await reader.cancel()
      break
    }
    if (received - reported < REPORT_BYTES) continue
    reported = received
    progress?.(received, total)
  }
  return { ...head, bytes: concat(chunks).subarray(0, limit), isCut: received > limit }
}

function concat(chunks: readonly Uint8Array[]): Uint8Array {
  if (chunks.length === 1) return chunks[0] as Uint8Array
  const all = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}

/** The body as text, in the charset that it names. */
export function textOfReply({ headers, bytes }: Reply): string {
  const charset = /charset\s*=\s*"?([\w.:-]+)/i.exec(headers.get('content-type') ?? '')?.[1]
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    // The charset is unknown.
    return new TextDecoder().decode(bytes)
  }
}

const withoutProto = (key: string, value: unknown): unknown => (key === '__proto__' ? undefined : value)

/** Parses the body as JSON. Returns undefined if it is not JSON, because documents often declare the wrong type. */
export function jsonOfReply(reply: Reply): { readonly value: unknown } | undefined {
  if (reply.isCut) return undefined
  try {
    const text = textOfReply(reply)
    // No message may have this name, so that it cannot change the prototype of an object.
    const isSafe = !text.includes('__proto__') && !text.includes(String.raw`\u00`)
    return { value: JSON.parse(text, isSafe ? undefined : withoutProto) as unknown }
  } catch {
    return undefined
  }
}
