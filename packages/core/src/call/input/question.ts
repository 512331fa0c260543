import { usageError } from '../../errors.ts'
import type { Role, SamplingContent } from '../../protocol/types.ts'
import type { JsonObject } from '../../protocol/jsonrpc.ts'
import type { AnySchema, InferArguments } from '../../schema/types.ts'
import { compileForm } from './form.ts'

/** Registered, so that two copies of this package know each other's questions. No JSON text can hold a symbol. */
const QUESTION: unique symbol = Symbol.for('dev.jetway/question')

declare const ANSWER: unique symbol

/** Something to ask the client's side. `T` is what the answer comes to. Made by {@link elicit} and its siblings. */
export interface Question<out T = unknown> {
  readonly [QUESTION]: QuestionParts
  /** Only the compiler sees it. */
  readonly [ANSWER]?: () => T
}

/** What a question is made of, before it is brought to a revision. */
export type QuestionParts =
  | {
      readonly kind: 'form'
      readonly message: string
      readonly schema: AnySchema
      readonly seesDecline: boolean
      /** Comes with the question, so that a server which shows no forms does not carry it. */
      readonly compile: typeof compileForm
    }
  | UrlParts
  | { readonly kind: 'sampling'; readonly params: SampleParams }
  | { readonly kind: 'roots' }

export type QuestionKind = QuestionParts['kind']

/** A question that sends a person to an address. */
export interface UrlParts {
  readonly kind: 'url'
  readonly message: string
  readonly url: UrlOf
  readonly seesDecline: boolean
}

/** An address, or what makes one of the id of the question. */
export type UrlOf = string | ((id: string) => string)

/** What a filled form comes to: what its schema makes of it. */
export type InferForm<S> = InferArguments<S>

/** An answer with what the person did, for questions that want to see a decline. */
export type Seen<T> =
  | { readonly action: 'accept'; readonly content: T }
  | { readonly action: 'decline' | 'cancel' }

/** Options of `ctx.elicit` and of a declared question. */
export interface ElicitOptions {
  /**
   * `fail`: a person who declines ends the call with a text that says so. `see`: the answer is `{ action, content }`,
   * so that the author decides.
   *
   * @default 'fail'
   */
  readonly declined?: 'fail' | 'see'
}

export interface SeeDeclined {
  readonly declined: 'see'
}

interface Elicit {
  <const S extends AnySchema>(
    message: string,
    schema: S,
    options: ElicitOptions & SeeDeclined,
  ): Question<Seen<InferForm<S>>>
  <const S extends AnySchema>(
    message: string,
    schema: S,
    options?: ElicitOptions & { readonly declined?: 'fail' },
  ): Question<InferForm<S>>
}

/**
 * Asks a person to fill a form: a flat object of texts, numbers, booleans and choices. Never ask for a secret this way;
 * {@link elicitUrl} is for those.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation
 */
export const elicit: Elicit = (
  message: string,
  schema: AnySchema,
  options?: ElicitOptions,
): Question<never> =>
  question({
    kind: 'form',
    message,
    schema,
    seesDecline: options?.declined === 'see',
    compile: compileForm,
  })

interface ElicitUrl {
  (message: string, url: UrlOf, options: ElicitOptions & SeeDeclined): Question<Seen<undefined>>
  (message: string, url: UrlOf, options?: ElicitOptions & { readonly declined?: 'fail' }): Question<undefined>
}

/**
 * Asks a person to open an address, for what must not pass through the client: passwords, payments, consent. That the
 * person agreed does not mean that what happens at the address is finished. The address holds no secrets, and whoever
 * opens it must turn out to be the user that it was made for.
 *
 * @param url - absolute. A function gets the id of this very question, 22 random characters, to put it into the address:
 *   what is served there can then call `server.completeElicitation(id)`. It must give the same address for the same id
 * @throws `ERR_MCP_INVALID_DEFINITION` for what is no `https:` address (`http:` for development)
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-mode-elicitation-requests
 */
export const elicitUrl: ElicitUrl = (
  message: string,
  url: UrlOf,
  options?: ElicitOptions,
): Question<never> => {
  const parts: UrlParts = { kind: 'url', message, url, seesDecline: options?.declined === 'see' }
  // Now rather than when it is asked: the mistake is here.
  urlOf(parts, NO_ID)
  return question(parts)
}

/** Stands for the id where the question as such is meant, whoever is asked it. */
export const NO_ID = 'id'

/** @throws `ERR_MCP_INVALID_DEFINITION` for what is no `https:` or `http:` address */
export function urlOf({ url: given }: UrlParts, id: string): string {
  const url: unknown = typeof given === 'function' ? given(id) : given
  // Clients open it: nothing that a browser would run instead.
  const protocol = typeof url === 'string' && URL.canParse(url) ? new URL(url).protocol : undefined
  if (protocol === 'https:' || protocol === 'http:') return url as string
  throw usageError('ERR_MCP_INVALID_DEFINITION', 'elicitUrl needs an absolute https: address')
}

/** One message for the client's model. Several blocks only where the client's revision has them. */
export interface SamplingMessage {
  readonly role: Role
  readonly content: SamplingContent | readonly SamplingContent[]
}

/** https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#creating-messages */
export interface SampleParams {
  readonly messages: readonly SamplingMessage[]
  /** Tokens that the answer may have; the client respects it. */
  readonly maxTokens: number
  readonly systemPrompt?: string
  readonly temperature?: number
  readonly stopSequences?: readonly string[]
  readonly modelPreferences?: JsonObject
  readonly metadata?: JsonObject
  /** Needs a client that declares `sampling.tools`. */
  readonly tools?: readonly JsonObject[]
  readonly toolChoice?: JsonObject
}

/** What the client's model said. */
export interface Sampled {
  readonly role: Role
  readonly content: SamplingContent | readonly SamplingContent[]
  readonly model: string
  readonly stopReason?: string
}

/**
 * Asks the client's model.
 *
 * @throws `ERR_MCP_INVALID_DEFINITION` where tools that the model used and their results do not pair up
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling
 */
export function sample(params: SampleParams): Question<Sampled> {
  checkToolMessages(params.messages)
  return question({ kind: 'sampling', params })
}

/**
 * A model that used tools is told what each came to, in the message after, which holds nothing else.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#message-content-constraints
 */
function checkToolMessages(messages: readonly SamplingMessage[]): void {
  let used: readonly string[] = []
  for (const [index, message] of messages.entries()) {
    const blocks = blocksOf(message)
    const results = blocks.flatMap((block) => (block.type === 'tool_result' ? [block.toolUseId] : []))
    const alone = results.length === 0 || (results.length === blocks.length && message.role === 'user')
    const known = new Set(results)
    if (
      !alone ||
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

/** A place that the client's side works in. */
export interface Root {
  readonly uri: string
  readonly name?: string
}

/**
 * Asks the client which places it works in.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/roots
 */
export const listRoots = (): Question<readonly Root[]> => question({ kind: 'roots' })

export function isQuestion(value: unknown): value is Question {
  return typeof value === 'object' && value !== null && QUESTION in value
}

export const partsOf = (asked: Question): QuestionParts => asked[QUESTION]

const question = (parts: QuestionParts): Question<never> => ({ [QUESTION]: parts })
