import type { JsonObject } from '../../protocol/jsonrpc.ts'
import type { AnySchema } from '../../schema/types.ts'
import type { ResponsesByKey } from './responses.ts'
import type { ElicitOptions, InferForm, SeeDeclined, Seen, UrlOf } from './question.ts'
import { declined } from './decode-response.ts'

/** The answers that a handler which returned `inputRequired` is run again with. */
export interface Inputs {
  /** What was given to `inputRequired` as its state, in the round before. */
  readonly state: string | undefined
  /** Whether there is an answer under the key. */
  has(key: string): boolean
  /**
   * The form that was filled in, or undefined while nobody has been asked.
   *
   * @throws QuestionError where the person declined, or the answer does not fit the schema
   */
  get<const S extends AnySchema>(key: string, schema: S): InferForm<S> | undefined
  /** As {@link get}, for those who decide themselves what a decline means. */
  see<const S extends AnySchema>(key: string, schema: S): Seen<InferForm<S>> | undefined
  /** The answer as it came, for URLs, sampling and roots. */
  raw(key: string): Readonly<Record<string, unknown>> | undefined
}

/** `ctx.elicit`. */
export interface ElicitNow {
  <const S extends AnySchema>(
    message: string,
    schema: S,
    options: ElicitOptions & SeeDeclined,
  ): Promise<Seen<InferForm<S>>>
  <const S extends AnySchema>(
    message: string,
    schema: S,
    options?: ElicitOptions & { readonly declined?: 'fail' },
  ): Promise<InferForm<S>>
}

/** `ctx.elicitUrl`. */
export interface ElicitUrlNow {
  (message: string, url: UrlOf, options: ElicitOptions & SeeDeclined): Promise<Seen<undefined>>
  (message: string, url: UrlOf, options?: ElicitOptions & { readonly declined?: 'fail' }): Promise<undefined>
}

/** What a request brings that no run of its handler has taken yet. */
export type UnmatchedResponses =
  /** A part of a round that was asked, each answer pinned to its question. */
  | { readonly answers: ResponsesByKey }
  /** Answers to what this call has not been asked. */
  | { readonly responses: JsonObject }

/** Reads what a user has filled in. */
export type ReadForm = (response: JsonObject, key: string, schema: AnySchema) => Seen<unknown>

/** The answers of one call, over all its rounds. */
export class CallInputs implements Inputs {
  unmatched: UnmatchedResponses | undefined
  /** Rounds of questions that earlier requests of this call were answered with. */
  rounds = 0
  /** The ids of the addresses that the user was sent to, by key. */
  urlIds: ReadonlyMap<string, string> | undefined
  readonly #readForm: ReadForm | undefined
  #answers: ResponsesByKey = new Map()
  #state: string | undefined

  /** @param readForm - may be left out where there are no answers */
  constructor(readForm: ReadForm | undefined) {
    this.#readForm = readForm
  }

  get answers(): ResponsesByKey {
    return this.#answers
  }
  get state(): string | undefined {
    return this.#state
  }

  receive(answers: ResponsesByKey, state: string | undefined): void {
    this.#answers = answers
    this.#state = state
  }

  has(key: string): boolean {
    return this.#answers.has(key)
  }

  raw(key: string): JsonObject | undefined {
    return this.#answers.get(key)?.response
  }

  get<const S extends AnySchema>(key: string, schema: S): InferForm<S> | undefined {
    const seen = this.see(key, schema)
    if (seen === undefined || seen.action === 'accept') return seen?.content
    throw declined(seen.action, key)
  }

  see<const S extends AnySchema>(key: string, schema: S): Seen<InferForm<S>> | undefined {
    const response = this.raw(key)
    if (response === undefined) return undefined
    return this.#readForm?.(response, key, schema) as Seen<InferForm<S>> | undefined
  }
}
