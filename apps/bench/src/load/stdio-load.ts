import type { Readable, Writable } from 'node:stream'
import { Latencies, type LoadResult } from './load-result.ts'
import { FIRST_ID, INITIALIZE, INITIALIZED, messageWith } from './requests.ts'

const NEWLINE = 0x0a

export interface StdioLoadOptions {
  readonly seconds: number
  /** The number of concurrent requests. */
  readonly depth: number
  /** The size of a correct response, including its newline, in bytes. */
  readonly lineBytes: number
  /** The next request, without a newline. */
  readonly next: () => string
}

/** One client that communicates with a server over the server's standard streams. */
export class StdioClient {
  readonly #input: Writable
  #onLine: (line: string) => void = () => {}
  #onChunk: (chunk: Buffer) => void

  constructor(input: Writable, output: Readable) {
    this.#input = input
    const gather = this.#gather()
    this.#onChunk = gather
    output.on('data', (chunk: Buffer) => this.#onChunk(chunk))
  }

  /** Sends one line and waits for one back. */
  exchange(line: string): Promise<string> {
    return new Promise((resolve) => {
      this.#onLine = resolve
      this.#input.write(`${line}\n`)
    })
  }

  async initialize(): Promise<void> {
    await this.exchange(messageWith(INITIALIZE, FIRST_ID))
    this.#input.write(`${INITIALIZED}\n`)
  }

  /** Keeps `depth` requests in flight, by sending one request for each response that a read returns. */
  async load({ seconds, depth, lineBytes, next }: StdioLoadOptions): Promise<LoadResult> {
    const latencies = new Latencies()
    const start = performance.now()
    const end = start + seconds * 1000
    const send = (count: number): void => {
      let text = ''
      for (let i = 0; i < count; i++) text += `${next()}\n`
      this.#input.write(text, 'latin1')
    }
    let completed = 0
    let sent = start
    let bytes = 0
    await new Promise<void>((resolve) => {
      let pending = depth
      this.#onChunk = (chunk) => {
        const lines = countLines(chunk)
        bytes += chunk.length
        completed += lines
        pending -= lines
        const now = performance.now()
        if (depth === 1 && lines === 1) latencies.add(now - sent)
        sent = now
        if (now < end && lines > 0) {
          send(depth - pending)
          pending = depth
        } else if (pending === 0) resolve()
      }
      send(depth)
    })
    this.#onChunk = this.#gather()
    if (bytes !== completed * lineBytes) {
      throw new Error(`Wrong answers: ${completed} weighed ${bytes} bytes, not ${lineBytes} each`)
    }
    return { completed, seconds: (performance.now() - start) / 1000, latencies: latencies.sorted() }
  }

  #gather(): (chunk: Buffer) => void {
    let rest = ''
    return (chunk) => {
      const lines = (rest + chunk.toString()).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) this.#onLine(line)
    }
  }
}

function countLines(chunk: Buffer): number {
  let count = 0
  for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) count++
  return count
}
