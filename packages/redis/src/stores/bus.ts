import type { JsonValue } from '@jetway/core/protocol'
import { type Bus, type BusListener, MemoryBus } from '@jetway/core/stores'
import type { Commands } from '../commands/commands.ts'
import { PUBLISH } from '../scripts/nodes.ts'
import type { MessageReader } from './message-reader.ts'

/** The number of messages that the bus stores for nodes that read slowly or are reconnecting. */
const MAX_KEPT = 10_000
/**
 * The maximum number of messages that may wait for Redis, and the maximum number of their characters. If
 * either is exceeded, the oldest message is dropped.
 */
const MAX_UNSENT = 2_000
const MAX_UNSENT_LENGTH = 16 * 1024 * 1024
/** The maximum number of messages per command. */
const BATCH = 100
/** The maximum number of publishers for which the last message is remembered. */
const MAX_PUBLISHERS = 1_000
/** The time between attempts to send waiting messages, in ms. */
const RETRY_MS = 500

interface Unsent {
  readonly topic: string
  readonly text: string
  /** Identical for messages with the same content. Undefined if Redis was working when the message was published. */
  readonly equal: string | undefined
  /** The message's number, assigned before the first attempt to send the message. */
  number?: number
  /**
   * Called with true once the message is stored, or with false if an attempt fails, because the message may
   * then be lost with this process.
   */
  readonly settle: (stored: boolean) => void
}

/**
 * A bus that uses a single Redis Stream. Listeners on this node receive the node's own messages immediately,
 * and only once.
 *
 * Redis may have stored a message even if its reply arrives too late. Therefore, each publisher numbers its
 * messages, sends them in one batch after another, and repeats a failed batch with the same numbers. Readers
 * skip numbers that they have already read, and report a gap if a number is missing.
 */
export class RedisBus implements Bus {
  readonly #commands: Commands
  readonly #key: string
  readonly #node: string
  readonly #reader: MessageReader
  readonly #local: MemoryBus
  readonly #gapListeners = new Set<() => void>()
  /**
   * The messages that are waiting for Redis, in order. While Redis is failing, identical messages are queued
   * only once.
   */
  readonly #unsent = new Set<Unsent>()
  /** The `equal` values of the messages that have not been sent yet. */
  readonly #waiting = new Set<string>()
  #unsentLength = 0
  /** The number of the latest message that was sent or dropped. */
  #number = 0
  #sending = false
  /** The number of the latest message read from each publisher, keyed by publisher. */
  readonly #last = new Map<string, number>()
  #leave: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(
    commands: Commands,
    reader: MessageReader,
    {
      key,
      node,
      onError,
    }: { readonly key: string; readonly node: string; readonly onError: (error: unknown) => void },
  ) {
    this.#commands = commands
    this.#reader = reader
    this.#key = key
    this.#node = node
    this.#local = new MemoryBus({ onError })
  }

  /** The number of messages that are waiting for Redis. */
  get unsent(): number {
    return this.#unsent.size
  }

  publish(topic: string, message: JsonValue): Promise<boolean> {
    this.#local.publish(topic, message)
    const text = JSON.stringify(message)
    const failing = this.#timer !== undefined
    const equal = failing ? `${topic.length}:${topic}${text}` : undefined
    if (equal !== undefined && this.#waiting.has(equal)) return Promise.resolve(false)
    return new Promise((settle) => {
      this.#keep({ topic, text, equal, settle })
      if (failing) settle(false)
      else if (!this.#sending) void this.#sendAll()
    })
  }

  subscribe(topic: string, listener: BusListener, onGap?: () => void): () => void {
    // Each subscription needs a separate function, because the same `onGap` may be passed several times.
    const gap = (): void => onGap?.()
    this.#gapListeners.add(gap)
    const unsubscribe = this.#local.subscribe(topic, listener)
    this.#leave ??= this.#reader.read({
      key: this.#key,
      receive: (fields) => this.#receive(fields),
      lost: () => this.#lost(),
    })
    return () => {
      unsubscribe()
      if (!this.#gapListeners.delete(gap) || this.#gapListeners.size > 0) return
      this.#leave?.()
      this.#leave = undefined
      this.#last.clear()
    }
  }

  ready(): Promise<void> {
    return this.#reader.soon()
  }

  /** Returns this bus with separate topics for servers that have this name. */
  forServer(name: string): Bus {
    const own = (topic: string): string => `${topic} of ${name}`
    return {
      publish: (topic, message) => this.publish(own(topic), message),
      subscribe: (topic, listener, onGap) => this.subscribe(own(topic), listener, onGap),
      ready: () => this.ready(),
    }
  }

  /** Stops reading and sending. */
  close(): void {
    this.#leave?.()
    this.#leave = undefined
    this.#last.clear()
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const unsent of this.#unsent) this.#drop(unsent)
  }

  #keep(unsent: Unsent): void {
    this.#unsent.add(unsent)
    this.#unsentLength += unsent.text.length
    if (unsent.equal !== undefined) this.#waiting.add(unsent.equal)
    for (const oldest of this.#unsent) {
      const isFull = this.#unsent.size > MAX_UNSENT || this.#unsentLength > MAX_UNSENT_LENGTH
      if (!isFull || oldest === unsent) return
      this.#drop(oldest)
    }
  }

  /** Drops a message. Its number is never used again, so that readers report a gap. */
  #drop(unsent: Unsent): void {
    if (unsent.number === undefined) this.#number++
    this.#remove(unsent)
    unsent.settle(false)
  }

  #remove(unsent: Unsent): void {
    if (!this.#unsent.delete(unsent)) return
    this.#unsentLength -= unsent.text.length
    if (unsent.equal !== undefined && unsent.number === undefined) this.#waiting.delete(unsent.equal)
  }

  async #sendAll(): Promise<void> {
    this.#sending = true
    try {
      while (this.#unsent.size > 0) await this.#sendBatch()
    } catch {
      for (const { settle } of this.#unsent) settle(false)
      if (this.#unsent.size > 0) this.#timer = setTimeout(() => this.#retry(), RETRY_MS).unref()
    } finally {
      this.#sending = false
    }
  }

  #retry(): void {
    this.#timer = undefined
    void this.#sendAll()
  }

  async #sendBatch(): Promise<void> {
    const batch = [...this.#unsent].slice(0, BATCH)
    await this.#commands.script(
      PUBLISH,
      [this.#key],
      [
        MAX_KEPT,
        this.#node,
        ...batch.flatMap((unsent) => [this.#numberOf(unsent), unsent.topic, unsent.text]),
      ],
    )
    for (const unsent of batch) {
      this.#remove(unsent)
      unsent.settle(true)
    }
  }

  /**
   * Numbers a message before it is sent. From then on, an identical message is queued again, because it
   * stands for another change.
   */
  #numberOf(unsent: Unsent): number {
    if (unsent.number === undefined && unsent.equal !== undefined) this.#waiting.delete(unsent.equal)
    return (unsent.number ??= ++this.#number)
  }

  #receive({ n: node, i: number, t: topic, d: text }: Readonly<Record<string, string>>): void {
    if (node === undefined || node === this.#node || topic === undefined || text === undefined) return
    if (number !== undefined && !this.#isNext(node, Number(number))) return
    this.#local.publish(topic, JSON.parse(text) as JsonValue)
  }

  /** Returns false for a message that has already been read. Reports a gap if earlier messages are missing. */
  #isNext(node: string, number: number): boolean {
    const last = this.#last.get(node)
    if (last !== undefined && number <= last) return false
    this.#last.delete(node)
    this.#last.set(node, number)
    const [oldest] = this.#last.keys()
    if (oldest !== undefined && this.#last.size > MAX_PUBLISHERS) this.#last.delete(oldest)
    if (last !== undefined && number > last + 1) this.#reportGap()
    return true
  }

  #lost(): void {
    // The missing messages are reported here, so they must not be reported again by number.
    this.#last.clear()
    this.#reportGap()
  }

  #reportGap(): void {
    for (const listener of this.#gapListeners) this.#reader.guard(listener)
  }
}
