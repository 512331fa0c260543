import type { JsonObject } from '../protocol/jsonrpc.ts'
import type { CacheHints } from '../protocol/revisions/revision.ts'
import type { TaskInfo } from '../protocol/types.ts'
import type { SubscriptionFilter } from '../subscriptions/subscription.ts'
import type { InputRequest } from './input/encode-question.ts'
import type { Question } from './input/question.ts'

/**
 * The result of a method's handler. A `needs-input` result is never sent, because one of the other kinds
 * replaces it.
 */
export type HandlerResult = Complete | NeedsInput | InputRequested | TaskStarted | SubscriptionStarted

/** A finished result. */
export interface Complete {
  readonly kind: 'complete'
  /** The result before it is adapted to a revision. */
  readonly result: JsonObject
  /** The adapted result as JSON text, which is sent instead if present. */
  readonly json?: string
  /** The `resultType` set by an extension. @default 'complete' */
  readonly type?: string | undefined
  readonly hints?: CacheHints | undefined
}

export interface NeedsInput {
  readonly kind: 'needs-input'
  readonly questions: Readonly<Record<string, Question>>
  /** The handler's state, which is returned to the handler with the answers. */
  readonly state?: string
}

/** The client receives the questions as a result, and sends the request again with the answers. */
export interface InputRequested {
  readonly kind: 'input-requested'
  readonly requests: Readonly<Record<string, InputRequest>>
  readonly state: string
}

export interface TaskStarted {
  readonly kind: 'task'
  readonly task: TaskInfo
  readonly meta?: JsonObject
}

/** The response is sent when the subscription ends. */
interface SubscriptionStarted {
  readonly kind: 'subscription'
  readonly filters: readonly SubscriptionFilter[]
}

export const complete = (result: object): Complete => ({ kind: 'complete', result: result as JsonObject })

/** A result with a `resultType` other than `complete`. */
export const typed = (type: string, result: object): Complete => ({ ...complete(result), type })

/** A serialised result. The object is created only when middleware reads it. */
export class SerializedResult implements Complete {
  readonly kind = 'complete'
  readonly json: string
  readonly hints: CacheHints | undefined
  readonly #build: () => object
  #bytes: Uint8Array | undefined

  constructor(json: string, build: () => object, hints?: CacheHints) {
    this.json = json
    this.hints = hints
    this.#build = build
  }

  get result(): JsonObject {
    return this.#build() as JsonObject
  }

  get bytes(): Uint8Array {
    return (this.#bytes ??= new TextEncoder().encode(this.json))
  }
}
