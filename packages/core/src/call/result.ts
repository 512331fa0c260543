import type { JsonObject } from '../protocol/jsonrpc.ts'
import type { CacheHints } from '../protocol/revisions/revision.ts'
import type { SubscriptionFilter } from '../subscriptions/subscription.ts'
import type { Question } from './input/question.ts'

/**
 * The result of a method's handler. A `needs-input` result is never sent, because it is first replaced by a
 * result of another kind.
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

/** A result that replaces the method's own, in a form that does not depend on the method. */
interface Substitute extends Pick<Complete, 'result' | 'type' | 'hints'> {}

/** The client receives the questions as a result, and sends the request again with the answers. */
export interface InputRequested extends Substitute {
  readonly kind: 'input-requested'
  readonly type: 'input_required'
}

export interface TaskStarted extends Substitute {
  readonly kind: 'task'
  readonly type: 'task'
}

/** The response is sent when the subscription ends. */
interface SubscriptionStarted extends Substitute {
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
