import type { JsonValue } from '@jetway/core/protocol'
import { type Bus, type BusListener, MemoryBus } from '@jetway/core/stores'
import type { Commands } from '../commands/commands.ts'
import type { MessageReader } from './message-reader.ts'

/** The number of messages that the bus stores for nodes that read slowly or reconnect. */
const MAX_KEPT = 10_000
/**
 * The maximum number of messages that wait for Redis. Beyond it, the oldest is dropped. Equal messages wait
 * only once.
 */
const MAX_UNSENT = 1_000
/** The time between two attempts to send waiting messages, in ms. */
const RETRY_MS = 500

interface Unsent {
  readonly topic: string
  readonly text: string
}

/**
 * A bus over one Redis Stream. Listeners on this node get the node's own messages immediately, and only once.
 */
export class RedisBus implements Bus {
  readonly #commands: Commands
  readonly #key: string
  readonly #node: string
  readonly #reader: MessageReader
  readonly #local: MemoryBus
  readonly #gapListeners = new Set<() => void>()
  readonly #unsent = new Map<string, Unsent>()
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

  /** The number of messages that wait for Redis. */
  get unsent(): number {
    return this.#unsent.size
  }

  async publish(topic: string, message: JsonValue): Promise<void> {
    this.#local.publish(topic, message)
    const unsent = { topic, text: JSON.stringify(message) }
    // A message must not overtake waiting messages.
    if (this.#unsent.size > 0) this.#keep(unsent)
    else await this.#send(unsent).catch(() => this.#keep(unsent))
  }

  subscribe(topic: string, listener: BusListener, onGap?: () => void): () => void {
    // Each subscription needs its own object, because several may have the same function.
    const gap = (): void => onGap?.()
    this.#gapListeners.add(gap)
    const unsubscribe = this.#local.subscribe(topic, listener)
    this.#leave ??= this.#reader.read({
      key: this.#key,
      receive: (fields) => this.#receive(fields),
      lost: () => this.#reportGap(),
    })
    return () => {
      unsubscribe()
      if (!this.#gapListeners.delete(gap) || this.#gapListeners.size > 0) return
      this.#leave?.()
      this.#leave = undefined
    }
  }

  ready(): Promise<void> {
    return this.#reader.soon()
  }

  /** Returns this bus with topics of its own for servers with this name. */
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
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#unsent.clear()
  }

  async #send({ topic, text }: Unsent): Promise<void> {
    const id = ['MAXLEN', '~', String(MAX_KEPT), '*']
    await this.#commands.run(this.#key, ['XADD', this.#key, ...id, 'n', this.#node, 't', topic, 'd', text])
  }

  #keep(unsent: Unsent): void {
    const { topic, text } = unsent
    const [oldest] = this.#unsent.keys()
    if (oldest !== undefined && this.#unsent.size >= MAX_UNSENT) this.#unsent.delete(oldest)
    this.#unsent.set(`${topic.length}:${topic}${text}`, unsent)
    this.#timer ??= setTimeout(() => void this.#retry(), RETRY_MS).unref()
  }

  async #retry(): Promise<void> {
    this.#timer = undefined
    for (const [key, unsent] of this.#unsent) {
      try {
        await this.#send(unsent)
        this.#unsent.delete(key)
      } catch {
        this.#timer = setTimeout(() => void this.#retry(), RETRY_MS).unref()
        return
      }
    }
  }

  #receive({ n: node, t: topic, d: text }: Readonly<Record<string, string>>): void {
    if (node === this.#node || topic === undefined || text === undefined) return
    this.#local.publish(topic, JSON.parse(text) as JsonValue)
  }

  #reportGap(): void {
    for (const listener of this.#gapListeners) this.#reader.guard(listener)
  }
}
