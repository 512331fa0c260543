import { isObject, type JsonObject, type JsonValue } from '../protocol/jsonrpc.ts'
import { isLogLevel, type LogLevel } from '../protocol/types.ts'
import { attempt, type Awaitable } from '../util/promises.ts'

/** Receives the messages on a topic, from this node and from others. */
export type BusListener = (message: JsonValue) => void

/**
 * Carries small messages within a server or, depending on the implementation, between its nodes. Each message
 * is delivered at most once, and the messages of one publisher are delivered in order. A listener that throws
 * does not stop the others.
 */
export interface Bus {
  /** Publishes a message. Resolves to false if the message has been queued for later and may be lost. */
  publish(topic: string, message: JsonValue): Awaitable<void | boolean>
  /**
   * Subscribes to a topic. Returns a function that unsubscribes. `onGap` runs if messages may have been lost,
   * for example during a long reconnect. After that, anything may have changed.
   */
  subscribe(topic: string, listener: BusListener, onGap?: () => void): () => void
  /**
   * Resolves as soon as all further messages from other nodes are certain to reach the listeners, or after
   * one second, in which case `onGap` runs later. Omitted if messages always reach the listeners.
   */
  ready?(): Promise<void>
}

/** A change on a server. Sessions and subscriptions convert changes to notifications. */
export type ChangeEvent =
  | { readonly kind: 'tools' | 'resources' | 'prompts' }
  /** A resource has changed. If `within` is set, the subscribers of that resource are also notified. */
  | { readonly kind: 'resource'; readonly uri: string; readonly within?: string }
  /** A user has completed a URL elicitation. */
  | { readonly kind: 'elicitation'; readonly id: string }
  /** A log message that was sent outside a call, for sessions. */
  | { readonly kind: 'log'; readonly level: LogLevel; readonly data: JsonValue; readonly logger?: string }
  /** A notification defined by the extension with this id. */
  | { readonly kind: 'extension'; readonly id: string; readonly method: string; readonly params: JsonObject }
  /** A task has a new state. The state itself is in the store, because results may be large. */
  | { readonly kind: 'task'; readonly owner: string; readonly taskId: string }
  /** Changes may have been missed, so everything must be treated as changed. This event is never published. */
  | { readonly kind: 'gap' }

/** The topic of {@link ChangeEvent}s. */
export const CHANGES_TOPIC = 'changes'

/** Subscribes to changes. Returns a function that unsubscribes. */
export function onChange(bus: Bus, listener: (event: ChangeEvent) => void): () => void {
  const receive = (message: JsonValue): void => {
    const event = toChangeEvent(message)
    if (event !== undefined) listener(event)
  }
  return bus.subscribe(CHANGES_TOPIC, receive, () => listener({ kind: 'gap' }))
}

/** Validates a message from the bus. Returns undefined if the message is not a change event. */
function toChangeEvent(message: unknown): ChangeEvent | undefined {
  if (!isObject(message)) return undefined
  const { kind, uri, id, within, owner, taskId, method, params, level, data, logger } = message
  if (kind === 'tools' || kind === 'resources' || kind === 'prompts') return { kind }
  if (kind === 'elicitation' && typeof id === 'string') return { kind, id }
  if (kind === 'task' && typeof owner === 'string' && typeof taskId === 'string')
    return { kind, owner, taskId }
  if (kind === 'extension' && typeof id === 'string' && typeof method === 'string' && isObject(params))
    return { kind, id, method, params }
  if (kind === 'log' && isLogLevel(level))
    return { kind, level, data: data as JsonValue, ...(typeof logger === 'string' && { logger }) }
  if (kind !== 'resource' || typeof uri !== 'string') return undefined
  return typeof within === 'string' ? { kind, uri, within } : { kind, uri }
}

/** Options for {@link MemoryBus}. */
export interface MemoryBusOptions {
  /** Called when a listener throws an error. */
  readonly onError?: (error: unknown, topic: string) => void
}

/**
 * The maximum number of messages that listeners can publish while a message is being delivered. Further
 * messages are dropped.
 */
const MAX_QUEUED = 10_000

/** A bus within a single process. Delivers a message before `publish` returns, unless a listener called `publish`. */
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
    // A message published by a listener must wait until the current one is delivered. Otherwise, some listeners
    // would receive the two messages in a different order.
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
    // The listener is wrapped so that, if it is subscribed twice, it is called twice and must be unsubscribed
    // twice.
    const entry: BusListener = (message) => listener(message)
    const listeners = this.#topics.get(topic) ?? new Set()
    this.#topics.set(topic, listeners.add(entry))
    return () => {
      if (listeners.delete(entry) && listeners.size === 0 && this.#topics.get(topic) === listeners)
        this.#topics.delete(topic)
    }
  }
}
