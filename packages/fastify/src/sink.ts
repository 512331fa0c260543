import type { ServerResponse } from 'node:http'
import type { FrameSink } from '@jetway/core/http'

/** Writes a stream to a response. After a disconnect it drops chunks: the request's signal informs the endpoint. */
export class ResponseSink implements FrameSink {
  /** Whether the head has been sent with a chunk, or will never be. */
  used = false
  #raw: ServerResponse | undefined
  #drained: Promise<void> | undefined
  #release: (() => void) | undefined

  constructor(raw: ServerResponse) {
    this.#raw = raw
  }

  write(chunk: string): void | Promise<void> {
    if (!this.#raw) return
    this.used = true
    if (this.#raw.write(chunk)) return
    return (this.#drained ??= this.#wait(this.#raw))
  }

  close(): void {
    this.used = true
    this.#raw?.end()
    this.#raw = undefined
  }

  /** The client has disconnected. */
  drop(): void {
    this.used = true
    this.#raw = undefined
    this.#release?.()
  }

  #wait(raw: ServerResponse): Promise<void> {
    return new Promise((resolve) => {
      this.#release = () => {
        this.#drained = undefined
        resolve()
      }
      raw.once('drain', this.#release)
    })
  }
}
