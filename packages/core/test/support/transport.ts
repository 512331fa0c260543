import type { Transport, TransportHandlers } from '../../src/duplex/transport.ts'

/** A transport whose peer is the test. */
export class ScriptedTransport implements Transport {
  readonly sent: unknown[] = []
  readonly byteStream: boolean
  ended = false
  #handlers: TransportHandlers | undefined

  constructor({ byteStream = false }: { readonly byteStream?: boolean } = {}) {
    this.byteStream = byteStream
  }

  start(handlers: TransportHandlers): void {
    this.#handlers = handlers
  }

  send(message: string): void | Promise<void> {
    this.sent.push(JSON.parse(message))
  }

  async close(): Promise<void> {
    this.ended = true
  }

  /** Delivers a message. Returns a promise while the server applies backpressure. */
  receive(message: unknown): void | Promise<void> {
    return this.#handlers?.message(typeof message === 'string' ? message : JSON.stringify(message))
  }

  end(): void {
    this.#handlers?.close({ kind: 'end' })
  }
}
