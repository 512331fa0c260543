import { ErrorCode, McpError, QuestionError, usageError, type UsageError } from '../../errors.ts'
import type { JsonRpcRequest } from '../../protocol/jsonrpc.ts'
import type { AuthInfo } from '../../stores/principal.ts'
import type { Revision } from '../../protocol/revisions/revision.ts'
import { pinOf } from './responses.ts'
import type { ClientView } from '../client-view.ts'
import type { Exchange } from '../exchange.ts'
import type { CallInputs, ReadForm } from './inputs.ts'
import type { UrlCompletions } from './url-completion.ts'
import { shownContent } from './encode-question.ts'
import type { AnySchema } from '../../schema/types.ts'
import type { RequestChannel } from './pending-requests.ts'
import type { HandlerResult, NeedsInput } from '../result.ts'
import type { ElicitOptions, Question, Root, Sampled, SampleParams, UrlOf } from './question.ts'
import type { RequestStates } from './request-state.ts'

/** Bounds on what one call may ask. */
export interface InputLimits {
  /** How long a person or model may take over one question, in ms. Outside the handler's own time. @default 600_000 */
  readonly timeoutMs: number
  /** How often a call may come back with questions. @default 8 */
  readonly maxRounds: number
}

export const DEFAULT_INPUT_LIMITS: InputLimits = { timeoutMs: 600_000, maxRounds: 8 }

/** What a door gives its calls to ask with. */
export interface InputContext {
  readonly rounds: InputRounds
  readonly limits: InputLimits
  /** Sends requests to the client while a call runs; undefined where nothing can. */
  readonly live?: LiveInput
  /** Seals what a call knows, where it goes on with another request. */
  readonly states: RequestStates
  /** Tells when a user is done at an address. */
  readonly urlCompletions: UrlCompletions
}

type Run = () => HandlerResult | Promise<HandlerResult>

/** How calls get input from their clients. A preset may leave it out. */
export interface InputRounds {
  /** Starts a call, or continues the one whose responses the request brings. */
  begin(ctx: RoundsCall, start: Run): HandlerResult | Promise<HandlerResult>
  /** Has the questions of a result answered: by requests to the client, or by a result that asks it. */
  resolve(ctx: RoundsCall, first: NeedsInput, handle: Run): Promise<HandlerResult>
  /** Asks the user to open the URLs that an error requires; undefined for other errors and clients. */
  elicitUrls(ctx: RoundsCall, error: unknown, start: Run): Promise<HandlerResult> | undefined
  readonly readForm: ReadForm
  /** The URLs that an error requires, as an error, or as a text for clients that cannot open URLs. */
  urlFailure(
    error: unknown,
    ctx: UrlErrorContext,
  ): { readonly text: string | undefined; readonly error: McpError } | undefined
}

/** Sends requests to the client while a call runs, on connections that can carry them. */
export interface LiveInput {
  readonly requests: RequestChannel
  /** Sends a handler's questions to the client, and runs it again with the answers until it has no more questions. */
  resolve(
    ctx: InputCall,
    first: NeedsInput,
    handle: () => HandlerResult | Promise<HandlerResult>,
  ): Promise<HandlerResult>
  elicit(ctx: InputCall, message: string, schema: AnySchema, options?: Fails): Promise<unknown>
  elicitUrl(ctx: InputCall, message: string, url: UrlOf, options?: Fails): Promise<undefined>
  sample(ctx: InputCall, params: SampleParams): Promise<Sampled>
  listRoots(ctx: InputCall): Promise<readonly Root[]>
}

/** The types of the overloads that see declines are those of `RequestContext`. */
export type Fails = ElicitOptions & { readonly declined?: 'fail' }

/** What asking needs to know of a call. */
export interface InputCall {
  readonly scope: {
    readonly revision: Revision
    readonly client: ClientView
    readonly exchange: Exchange
    readonly input?: InputContext | undefined
    readonly settings?: { addPendingUrls(ids: readonly string[]): void }
  }
  /** Where the answers go. */
  readonly inputs: CallInputs
  pause(atEnd: () => void): () => void
}

export interface UrlErrorContext {
  readonly revision: Revision
  readonly client: ClientView
  readonly scope: Pick<InputCall['scope'], 'settings'>
}

/** What going on in rounds needs to know of a call. */
export interface RoundsCall extends InputCall {
  readonly message: JsonRpcRequest
  readonly auth: AuthInfo | undefined
}

export type Questions = Readonly<Record<string, Question>>

export const tooManyRounds = ({ maxRounds }: InputLimits): QuestionError =>
  new QuestionError('too-many', `Gave up: the call still had questions after ${maxRounds} rounds`)

/** The digest of each question, by its key. */
export async function pinQuestions(questions: Questions): Promise<ReadonlyMap<string, string>> {
  const pins = Object.entries(questions).map(
    async ([key, question]) => [key, await pinOf(shownContent(question, key))] as const,
  )
  return new Map(await Promise.all(pins))
}

/** Sends requests to the client while the call runs; undefined where nothing can. */
export const liveInputOf = ({ scope: { input, exchange } }: InputCall): LiveInput | undefined =>
  exchange.duplex ? input?.live : undefined

/** An outcome has questions, and there is no way by which they could be answered. */
export const noClientChannel = (questions: Questions): McpError =>
  new McpError(
    ErrorCode.InvalidRequest,
    `An answer to "${Object.keys(questions).join('", "')}" is needed, but this connection carries no questions to the client: connect with a session, and let replies be streams`,
  )

/** A handler asks in its middle, and there is no way to do that. */
export const noLiveChannel = (method: string): UsageError =>
  usageError(
    'ERR_MCP_UNSUPPORTED_HERE',
    `ctx.${method} needs a connection that carries requests to the client while a call runs; declare the tool's asks, or return inputRequired(…), which work everywhere`,
  )
