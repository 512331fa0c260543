import { usageError } from '../../errors.ts'
import type { Role, SamplingContent } from '../../protocol/types.ts'
import type { JsonObject } from '../../protocol/jsonrpc.ts'
import type { AnySchema, InferArguments, RefuseShape } from '../../schema/types.ts'

/**
 * A registered symbol, so that two copies of this package recognise each other's questions. JSON cannot forge a
 * symbol.
 */
const QUESTION: unique symbol = Symbol.for('dev.jetway/question')

declare const ANSWER: unique symbol

/**
 * A question for the client, made by {@link elicit}, {@link elicitUrl}, {@link sample} or
 * {@link listRoots}. `T` is the answer.
 */
export interface Question<out T = unknown> {
  readonly [QUESTION]: QuestionParts
  /** For type inference only. */
  readonly [ANSWER]?: () => T
}

/** A question before it is adapted to a revision. */
export type QuestionParts =
  | {
      readonly kind: 'form'
      readonly message: string
      readonly schema: AnySchema
      readonly seesDecline: boolean
    }
  | UrlParts
  | { readonly kind: 'sampling'; readonly params: SampleParams }
  | { readonly kind: 'roots' }

export type QuestionKind = QuestionParts['kind']

/** A question that asks the user to open a URL. */
export interface UrlParts {
  readonly kind: 'url'
  readonly message: string
  readonly url: UrlOf
  readonly seesDecline: boolean
}

/** A URL, or a function that creates a URL from the id of the question. */
export type UrlOf = string | ((id: string) => string)

/** The content of a form, as its schema parses it. */
export type InferForm<S> = InferArguments<S>

/** An answer with the user's action, for questions with `declined: 'see'`. */
export type Seen<T> =
  | { readonly action: 'accept'; readonly content: T }
  | { readonly action: 'decline' | 'cancel' }

/** Options for `ctx.elicit` and for a declared question. */
export interface ElicitOptions<D extends Declined = Declined> {
  /**
   * `fail`: if the user declines, the call ends with an error message. `see`: the answer is
   * `{ action, content }`, and the handler decides.
   *
   * @default 'fail'
   */
  readonly declined?: D
}

export type Declined = 'fail' | 'see'

/** The type of an answer, which depends on the `declined` option. */
export type Elicited<T, D extends Declined> = D extends 'see' ? Seen<T> : T

/**
 * Asks the user to fill in a form: a flat object of strings, numbers, booleans and choices. Never ask for a
 * secret in a form; use {@link elicitUrl} instead.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation
 */
export const elicit = <const S extends AnySchema, D extends Declined = 'fail'>(
  message: string,
  schema: S & RefuseShape<S>,
  options?: ElicitOptions<D>,
): Question<Elicited<InferForm<S>, D>> =>
  question({ kind: 'form', message, schema, seesDecline: options?.declined === 'see' })

/**
 * Asks the user to open a URL, for data that must not pass through the client: passwords, payments, consent. If
 * the answer is `accept`, the user has agreed to open the URL, but may not have finished there. The URL must
 * not contain secrets, and the page must check that the visitor is the user for whom it was created.
 *
 * @param url - absolute. A function receives the question's id (22 random characters) and includes it in the
 * URL, so that the page can call `server.completeElicitation(id)`. It must return the same URL for the same id
 * @throws `ERR_MCP_INVALID_DEFINITION` unless the URL is `https:` (`http:` for development)
 * @see
 * https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-mode-elicitation-requests
 */
export function elicitUrl<D extends Declined = 'fail'>(
  message: string,
  url: UrlOf,
  options?: ElicitOptions<D>,
): Question<Elicited<undefined, D>> {
  const parts: UrlParts = { kind: 'url', message, url, seesDecline: options?.declined === 'see' }
  // An invalid URL is rejected here rather than later, when the question is sent.
  urlOf(parts, NO_ID)
  return question(parts)
}

/** A placeholder for the id in a question's digest, because the digest must be the same for every client. */
export const NO_ID = 'id'

/** @throws `ERR_MCP_INVALID_DEFINITION` unless the URL is `https:` or `http:` */
export function urlOf({ url: urlOrFunction }: UrlParts, id: string): string {
  const url: unknown = typeof urlOrFunction === 'function' ? urlOrFunction(id) : urlOrFunction
  // The client opens the URL, so its scheme must not be one that runs code.
  const protocol = typeof url === 'string' && URL.canParse(url) ? new URL(url).protocol : undefined
  if (protocol === 'https:' || protocol === 'http:') return url as string
  throw usageError('ERR_MCP_INVALID_DEFINITION', 'elicitUrl needs an absolute https: URL')
}

/** A message for the client's model. Only some revisions support a list of blocks as its content. */
export interface SamplingMessage {
  readonly role: Role
  readonly content: SamplingContent | readonly SamplingContent[]
}

/** https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#creating-messages */
export interface SampleParams {
  readonly messages: readonly SamplingMessage[]
  /** The maximum length of the answer, in tokens. */
  readonly maxTokens: number
  readonly systemPrompt?: string
  readonly temperature?: number
  readonly stopSequences?: readonly string[]
  readonly modelPreferences?: JsonObject
  readonly metadata?: JsonObject
  /** Requires the client capability `sampling.tools`. */
  readonly tools?: readonly JsonObject[]
  readonly toolChoice?: JsonObject
}

/** The answer from the client's model. */
export interface Sampled {
  readonly role: Role
  readonly content: SamplingContent | readonly SamplingContent[]
  readonly model: string
  readonly stopReason?: string
}

/**
 * Sends a prompt to the client's model.
 *
 * @throws `ERR_MCP_INVALID_DEFINITION` unless each tool_use is followed by its tool_result
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling
 */
export function sample(params: SampleParams): Question<Sampled> {
  checkToolMessages(params.messages)
  return question({ kind: 'sampling', params })
}

/**
 * Checks that the message after a tool_use contains exactly the results of those tools.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#message-content-constraints
 */
function checkToolMessages(messages: readonly SamplingMessage[]): void {
  let used: readonly string[] = []
  for (const [index, message] of messages.entries()) {
    const blocks = blocksOf(message)
    const results = blocks.flatMap((block) => (block.type === 'tool_result' ? [block.toolUseId] : []))
    const onlyResults = results.length === 0 || (results.length === blocks.length && message.role === 'user')
    const known = new Set(results)
    if (
      !onlyResults ||
      known.size !== used.length ||
      results.length !== used.length ||
      !used.every((id) => known.has(id))
    )
      throw unpaired(used.length > 0 ? index - 1 : index)
    used = blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
    if (used.length > 0 && message.role !== 'assistant') throw unpaired(index)
  }
  if (used.length > 0) throw unpaired(messages.length - 1)
}

const unpaired = (index: number): Error =>
  usageError(
    'ERR_MCP_INVALID_DEFINITION',
    `sample: a tool_use is the assistant's; after message ${index} the user's next one needs one tool_result for each and nothing else`,
  )

export const blocksOf = ({ content }: SamplingMessage): readonly SamplingContent[] => [content].flat()

/** A directory or other location in which the client works. */
export interface Root {
  readonly uri: string
  readonly name?: string
}

/**
 * Asks the client for its roots.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/roots
 */
export const listRoots = (): Question<readonly Root[]> => question({ kind: 'roots' })

export const isQuestion = (value: unknown): value is Question =>
  typeof value === 'object' && value !== null && QUESTION in value

export const partsOf = (question: Question): QuestionParts => question[QUESTION]

const question = (parts: QuestionParts): Question<never> => ({ [QUESTION]: parts })
