import type { ServerResponse } from 'node:http'
import type { FrameSink } from '@jetway/core/http'

/** Writes a stream to a response. After a disconnect it drops chunks: the request's signal informs the endpoint. */
export class ResponseSink implements FrameSink {
  /** Whether the head has been sent with a chunk, or will never be. */
  used = false
  #response: (ServerResponse & { flush?: () => void }) | undefined
  #drained: Promise<void> | undefined
  #resume: (() => void) | undefined

  constructor(response: ServerResponse) {
    this.#response = response
  }

  write(chunk: string): void | Promise<void> {
    const response = this.#response
    if (response === undefined) return
    this.used = true
    const keepsUp = response.write(chunk)
    // Compressing middleware adds this method, and holds chunks back without it.
    response.flush?.()
    if (!keepsUp) return (this.#drained ??= this.#drain(response))
  }

  close(): void {
    this.used = true
    this.#response?.end()
    this.#response = undefined
  }

  /** The client has disconnected. */
  drop(): void {
    this.used = true
    this.#response = undefined
    this.#resume?.()
  }

  #drain(response: ServerResponse): Promise<void> {
    return new Promise((resolve) => {
      this.#resume = () => {
        this.#drained = undefined
        resolve()
      }
      response.once('drain', this.#resume)
    })
  }
}
