/** One complete HTTP reply. */
export interface Reply {
  readonly status: number
  /** The status line and the header lines. */
  readonly head: string
  readonly bodyBytes: number
  /** Decodes the body. Load runs do not call it. */
  body(): string
}

const END_OF_HEAD = '\r\n\r\n'
/** The maximum size of a head, in bytes. */
const LONGEST_HEAD = 4096
const END_OF_CHUNKS = Buffer.from('0\r\n\r\n')

/**
 * Splits the bytes received on a connection into replies, for a client with one request in flight. Supports
 * Content-Length and chunked bodies.
 */
export class ReplyReader {
  #chunks: Buffer[] = []
  #size = 0
  #head = ''
  #headBytes = 0
  /** The total size of the head and body, in bytes. Undefined while it is unknown, and for chunked bodies. */
  #whole: number | undefined

  /** Adds received bytes. Returns the reply as soon as it is complete. */
  push(chunk: Buffer): Reply | undefined {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    if (this.#headBytes === 0 && !this.#readHead()) return undefined
    if (this.#whole === undefined ? !this.#endsWithChunks() : this.#size < this.#whole) return undefined
    return this.#take()
  }

  #readHead(): boolean {
    const text = this.#joined().toString('latin1', 0, LONGEST_HEAD)
    const end = text.indexOf(END_OF_HEAD)
    if (end === -1) return false
    this.#head = text.slice(0, end)
    this.#headBytes = end + END_OF_HEAD.length
    const length = headerOf(this.#head, 'content-length')
    const hasNoBody = /^HTTP\/1\.1 (?:1|204|304)/.test(this.#head)
    if (length !== undefined || hasNoBody) this.#whole = this.#headBytes + Number(length ?? 0)
    return true
  }

  #endsWithChunks(): boolean {
    return this.#joined().subarray(-END_OF_CHUNKS.length).equals(END_OF_CHUNKS)
  }

  #take(): Reply {
    const bytes = this.#chunks
    const headBytes = this.#headBytes
    const isChunked = this.#whole === undefined
    const reply: Reply = {
      status: Number(this.#head.slice(9, 12)),
      head: this.#head,
      bodyBytes: this.#size - headBytes,
      body: () => {
        const text = Buffer.concat(bytes).subarray(headBytes)
        return isChunked ? dechunk(text) : text.toString()
      },
    }
    this.#chunks = []
    this.#size = this.#headBytes = 0
    this.#whole = undefined
    return reply
  }

  #joined(): Buffer {
    const [first] = this.#chunks
    if (this.#chunks.length === 1 && first !== undefined) return first
    const whole = Buffer.concat(this.#chunks)
    this.#chunks = [whole]
    return whole
  }
}

function dechunk(bytes: Buffer): string {
  const parts: Buffer[] = []
  for (let at = 0; ;) {
    const end = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16)
    if (size === 0) return Buffer.concat(parts).toString()
    parts.push(bytes.subarray(end + 2, end + 2 + size))
    at = end + 2 + size + 2
  }
}

/** Returns the value of a header by its lower-case name. */
export function headerOf(head: string, name: string): string | undefined {
  const at = head.toLowerCase().indexOf(`\r\n${name}:`)
  if (at === -1) return undefined
  const end = head.indexOf('\r\n', at + 2)
  return head.slice(at + name.length + 3, end === -1 ? undefined : end).trim()
}
