import type { JsonValue } from '../protocol/jsonrpc.ts'
import { attempt } from '../util/promises.ts'
import type { Bus, BusListener } from './bus.ts'

/** Options of {@link MemoryBus}. */
export interface MemoryBusOptions {
  /** Called when a listener throws. */
  readonly onError?: (error: unknown, topic: string) => void
}

/** The maximum number of messages that listeners publish during a delivery; one more is dropped. */
const MAX_QUEUED = 10_000

/** A bus within one process. Delivers before `publish` returns, unless a listener called it. */
export class MemoryBus implements Bus {
  readonly #topics = new Map<string, Set<BusListener>>()
  readonly #queue: { readonly topic: string; readonly message: JsonValue }[] = []
  readonly #onError: (error: unknown, topic: string) => void
  #delivering = false

  constructor({ onError = () => {} }: MemoryBusOptions = {}) {
    this.#onError = onError
  }

  publish(topic: string, message: JsonValue): void {
    if (this.#queue.length >= MAX_QUEUED) {
      this.#onError(new Error('The bus is full, a message was dropped'), topic)
      return
    }
    this.#queue.push({ topic, message })
    // A message that is published during a delivery waits, because listeners would otherwise see the two in
    // different orders.
    if (this.#delivering) return
    this.#delivering = true
    try {
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
        const item = next
        const failed = (error: unknown): void => this.#onError(error, item.topic)
        for (const listener of this.#topics.get(item.topic) ?? [])
          void attempt(() => listener(item.message), failed)
      }
    } finally {
      this.#delivering = false
    }
  }

  subscribe(topic: string, listener: BusListener): () => void {
    // Wrapped, so that a function subscribed twice is called and unsubscribed twice.
    const entry: BusListener = (message) => listener(message)
    const listeners = this.#topics.get(topic) ?? new Set()
    this.#topics.set(topic, listeners.add(entry))
    return () => {
      if (listeners.delete(entry) && listeners.size === 0 && this.#topics.get(topic) === listeners)
        this.#topics.delete(topic)
    }
  }
}
