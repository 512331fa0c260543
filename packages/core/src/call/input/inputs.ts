import type { JsonObject } from '../../protocol/jsonrpc.ts'
import type { AnySchema } from '../../schema/types.ts'
import type { ResponsesByKey } from './responses.ts'
import type { InferForm, Seen } from './question.ts'
import { declined } from './decode-response.ts'

/** Responses of a request that are not matched with questions yet. */
export type UnmatchedResponses =
  /** Some responses of a round, each with the digest of its question. */
  | { readonly answers: ResponsesByKey }
  /** Responses without requestState: the call has not asked anything yet. */
  | { readonly responses: JsonObject }

export type ReadForm = (response: JsonObject, key: string, schema: AnySchema) => Seen<unknown>

/** The responses of one call, over all its rounds. */
export class CallInputs {
  unmatched: UnmatchedResponses | undefined
  rounds = 0
  /** The ids of URL questions, by key. */
  urlIds: ReadonlyMap<string, string> | undefined
  answers: ResponsesByKey = new Map()
  /** The state that the handler passed to `inputRequired` in the previous round. */
  state: string | undefined
  readonly #readForm: ReadForm | undefined

  /** @param readForm - may be omitted if there are no answers */
  constructor(readForm: ReadForm | undefined) {
    this.#readForm = readForm
  }

  receive(answers: ResponsesByKey, state: string | undefined): void {
    this.answers = answers
    this.state = state
  }

  has(key: string): boolean {
    return this.answers.has(key)
  }

  /** Returns the client's response, for URLs, sampling and roots. */
  raw(key: string): JsonObject | undefined {
    return this.answers.get(key)?.response
  }

  /**
   * Returns the content of a form, or undefined if the question has not been asked.
   *
   * @throws QuestionError if the user declined, or the answer does not match the schema
   */
  get<const S extends AnySchema>(key: string, schema: S): InferForm<S> | undefined {
    const seen = this.see(key, schema)
    if (seen === undefined || seen.action === 'accept') return seen?.content
    throw declined(seen.action, key)
  }

  /** Like {@link get}, but returns a decline instead of throwing. */
  see<const S extends AnySchema>(key: string, schema: S): Seen<InferForm<S>> | undefined {
    const response = this.raw(key)
    if (response === undefined) return undefined
    return this.#readForm?.(response, key, schema) as Seen<InferForm<S>> | undefined
  }
}

/** The answers to `inputRequired`, with which the handler runs again. */
export type Inputs = Readonly<Pick<CallInputs, 'state' | 'has' | 'get' | 'see' | 'raw'>>
