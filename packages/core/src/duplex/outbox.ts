import { type Network, PIPE_NETWORK } from '../call/exchange.ts'
import type { Transport } from './transport.ts'
import { CoalescingQueue } from '../subscriptions/coalescing-queue.ts'

interface OutboxOptions {
  readonly transport: Transport
  /** Called when the transport fails to write. */
  onBroken(error: unknown): void
  /** Called when a frame is dropped for a slow reader. */
  onDrop(frame: string): void
}

/** The maximum size of the change notifications queued for a slow reader, in UTF-8 bytes. */
const MAX_LATE_BYTES = 1_048_576

/** Writes all frames of a connection. */
export class Outbox {
  readonly #options: OutboxOptions
  readonly #late = new CoalescingQueue(MAX_LATE_BYTES)
  /** Set while the peer is reading slowly. */
  #behind: Promise<void> | undefined
  #ended = false

  constructor(options: OutboxOptions) {
    this.#options = options
  }

  /** The transport's network; undefined for the in-memory transport. */
  get network(): Network | undefined {
    return this.byteStream ? PIPE_NETWORK : undefined
  }

  get byteStream(): boolean {
    return this.#options.transport.byteStream === true
  }

  /** Discards all later frames. */
  end(): void {
    this.#ended = true
  }

  /** Writes a response. Responses are never dropped, because the limit on calls also limits their number. */
  write(frame: string | undefined): void | Promise<void> {
    if (this.#ended || frame === undefined) return
    try {
      const written = this.#options.transport.send(frame)
      return written instanceof Promise ? this.#wait(written) : undefined
    } catch (error) {
      this.#options.onBroken(error)
    }
  }

  /**
   * Writes a call's notification. While the peer is reading slowly, the notification is dropped unless the
   * handler awaits each notification.
   */
  notify(frame: string): void | Promise<void> {
    if (this.#behind === undefined) return this.write(frame)
    this.#options.onDrop(frame)
    return this.#behind
  }

  /** Writes a change notification for the session. */
  notifySession(frame: string): void {
    if (!this.sendCoalesced(frame, undefined)) this.#options.onDrop(frame)
  }

  /**
   * Writes a change notification. If the peer is reading slowly, the notification is queued, unless the queue
   * already contains an equal one. Returns false if the queue is full.
   */
  sendCoalesced(frame: string, owner: object | undefined): boolean {
    if (this.#behind !== undefined) return this.#late.add(frame, owner)
    void this.write(frame)
    return true
  }

  discard(owner: object): void {
    this.#late.discard(owner)
  }

  /** Writes a frame. The returned promise never rejects, because `onBroken` reports the failure. */
  #wait(written: Promise<void>): Promise<void> {
    const caughtUp = (): void => {
      if (this.#behind !== behind) return
      this.#behind = undefined
      for (const [frame, owner] of this.#late.take()) this.sendCoalesced(frame, owner)
    }
    const behind = written.catch((error: unknown) => this.#options.onBroken(error)).then(caughtUp)
    this.#behind = behind
    return behind
  }
}
