import type { JsonObject } from '../protocol/jsonrpc.ts'
import type { CacheHints } from '../protocol/revisions/revision.ts'
import type { TaskInfo } from '../protocol/tasks.ts'
import type { SubscriptionFilter } from '../subscriptions/subscription.ts'
import type { InputRequest } from './input/encode-question.ts'
import type { Question } from './input/question.ts'

/** What a method's handler comes to. `needs-input` is not sent, and becomes one of the others. */
export type HandlerResult = Complete | NeedsInput | InputRequested | TaskStarted | SubscriptionStarted

export interface Complete {
  readonly kind: 'complete'
  /** The neutral result, before projection to a revision. */
  readonly result: JsonObject
  /** The result as JSON text, projected already. Where present it is what is sent. */
  readonly json?: string
  /** What kind of result it is, where that is for an extension to say. @default 'complete' */
  readonly type?: string
  /** How long it may be kept, where a client may keep it at all. */
  readonly hints?: CacheHints | undefined
}

/** The handler cannot go on without answers from the client's side. */
export interface NeedsInput {
  readonly kind: 'needs-input'
  readonly questions: Readonly<Record<string, Question>>
  /** The handler's own, given back to it with the answers. */
  readonly state?: string
}

/** The questions are the result; the client sends the request again with the answers. */
export interface InputRequested {
  readonly kind: 'input-requested'
  /** As the client's revision has them. */
  readonly requests: Readonly<Record<string, InputRequest>>
  /** Sealed: what the call knows so far. */
  readonly state: string
}

/** The work goes on in the background. */
export interface TaskStarted {
  readonly kind: 'task'
  readonly task: TaskInfo
  readonly meta?: JsonObject
}

/** The request is answered when its client has heard enough, or the server has no more to say. */
export interface SubscriptionStarted {
  readonly kind: 'subscription'
  readonly filters: readonly SubscriptionFilter[]
}

export const complete = (result: object): Complete => ({ kind: 'complete', result: result as JsonObject })

/** A result of another kind than `complete`. */
export const typed = (type: string, result: object): Complete => ({ ...complete(result), type })

/** A result that is text already; the object is only built when a middleware looks at it. */
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

  /** The text in UTF-8, kept from the first time on. */
  get bytes(): Uint8Array {
    return (this.#bytes ??= new TextEncoder().encode(this.json))
  }
}
