import { type Deferred, deferred } from '../util/promises.ts'
import type { SendOptions, Transport, TransportClose, TransportHandlers } from './transport.ts'

/** How many UTF-16 units may be queued for the other side before `send` returns a promise. */
const HIGH_WATER_MARK = 1024 * 1024

/**
 * Creates the two ends of a connection inside one process. Messages arrive in order, and never within `send`.
 * If one end closes, the other still receives all messages, then closes too.
 */
export function createMemoryTransportPair(): [Transport, Transport] {
  const left = new MemoryTransport()
  const right = new MemoryTransport()
  left.peer = right
  right.peer = left
  return [left, right]
}

interface Waiting {
  readonly text: string
  readonly signal: AbortSignal | undefined
}

class MemoryTransport implements Transport {
  peer!: MemoryTransport
  #handlers: TransportHandlers | undefined
  #inbox: Waiting[] = []
  /** UTF-16 units that were received and are not delivered yet. */
  #size = 0
  #delivering = false
  /** Whether the peer has closed: this end then closes when its inbox is empty. */
  #peerClosed = false
  #closed = false
  #capacity: Deferred | undefined

  get queued(): number {
    return this.peer.#size
  }

  start(handlers: TransportHandlers): void {
    if (this.#handlers !== undefined) throw new TypeError('The transport has been started already')
    this.#handlers = handlers
    this.#schedule()
  }

  send(message: string, options?: SendOptions): void | Promise<void> {
    if (options?.signal?.aborted === true) return
    return this.peer.#receive({ text: message, signal: options?.signal })
  }

  close(): Promise<void> {
    if (!this.#closed) {
      this.peer.#endAfterInbox()
      this.#end({ kind: 'end' })
    }
    return Promise.resolve()
  }

  #receive(item: Waiting): void | Promise<void> {
    if (this.#closed || this.#peerClosed) return
    this.#inbox.push(item)
    this.#size += item.text.length
    this.#schedule()
    if (this.#size <= HIGH_WATER_MARK) return
    this.#capacity ??= deferred()
    return this.#capacity.promise
  }

  #endAfterInbox(): void {
    this.#peerClosed = true
    this.#schedule()
  }

  #schedule(): void {
    if (this.#handlers === undefined || this.#delivering || this.#closed) return
    this.#delivering = true
    queueMicrotask(() => void this.#deliver(this.#handlers as TransportHandlers))
  }

  async #deliver(handlers: TransportHandlers): Promise<void> {
    while (this.#inbox.length > 0) {
      const items = this.#inbox
      this.#inbox = []
      for (const item of items) {
        if (this.#closed) return
        if (item.signal?.aborted !== true) {
          try {
            const handled = handlers.message(item.text)
            if (handled instanceof Promise) await handled
          } catch (error) {
            this.#fail(error)
            return
          }
        }
        this.#size -= item.text.length
        if (this.#size <= HIGH_WATER_MARK) this.#releaseCapacity()
      }
    }
    this.#delivering = false
    if (this.#peerClosed) this.#end({ kind: 'end' })
  }

  #fail(error: unknown): void {
    this.peer.#endAfterInbox()
    this.#end({ kind: 'error', error })
  }

  #end(reason: TransportClose): void {
    if (this.#closed) return
    this.#closed = true
    this.#inbox = []
    this.#size = 0
    this.#releaseCapacity()
    queueMicrotask(() => this.#handlers?.close(reason))
  }

  #releaseCapacity(): void {
    this.#capacity?.resolve()
    this.#capacity = undefined
  }
}
