import type { Transport } from './transport.ts'
import type { DuplexOutlet } from './subscriptions.ts'
import { CoalescingQueue } from '../subscriptions/coalescing-queue.ts'

export interface OutboxOptions {
  readonly transport: Transport
  /** Hears that the transport takes nothing any more. */
  onBroken(error: unknown): void
  /** Hears of a frame that a slow peer will never see. */
  onDrop(frame: string): void
}

/** The way out of a connection, which all that is said on it shares. */
export class Outbox implements DuplexOutlet {
  readonly #options: OutboxOptions
  readonly #late = new CoalescingQueue()
  /** Set while the transport has more to write than it likes. */
  #behind: Promise<void> | undefined
  #ended = false

  constructor(options: OutboxOptions) {
    this.#options = options
  }

  get ended(): boolean {
    return this.#ended
  }

  /** From now on nothing is written. */
  end(): void {
    this.#ended = true
  }

  /** Answers are always written: their number is bounded by the calls in flight. */
  write(frame: string | undefined): void | Promise<void> {
    if (this.#ended || frame === undefined) return
    try {
      const written = this.#options.transport.send(frame)
      return written instanceof Promise ? this.#wait(written) : undefined
    } catch (error) {
      this.#options.onBroken(error)
    }
  }

  /** A handler that does not wait for a slow peer loses what it says meanwhile; one that awaits loses nothing. */
  notify(frame: string): void | Promise<void> {
    if (this.#behind === undefined) return this.write(frame)
    this.#options.onDrop(frame)
    return this.#behind
  }

  /** Tells the session's client of a change. */
  notifySession(frame: string): void {
    if (!this.sendCoalesced(frame, undefined)) this.#options.onDrop(frame)
  }

  /** A change is told late rather than not at all, and once however often it happened. False: there is no room for it. */
  sendCoalesced(frame: string, owner: object | undefined): boolean {
    if (this.#behind !== undefined) return this.#late.add(frame, owner)
    void this.write(frame)
    return true
  }

  discard(owner: object): void {
    this.#late.discard(owner)
  }

  /** Never rejects: whoever waits for a slow peer is not the one to hear that it is gone. */
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
