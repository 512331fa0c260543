import { ErrorCode, McpError, QuestionError } from '../../errors.ts'
import type { JsonObject, JsonRpcRequest } from '../../protocol/jsonrpc.ts'
import type { AuthInfo } from '../../stores/principal.ts'
import type { Revision } from '../../protocol/revisions/revision.ts'
import type { Bus } from '../../stores/bus.ts'
import type { Clock } from '../../util/clock.ts'
import { type CallInputs, decodeResponse, digestOf, mergeResponses, type ReadForm } from './inputs.ts'
import type { ClientView } from '../request-context.ts'
import type { Exchange } from '../exchange.ts'
import { encodeQuestion, type InputRequest, shownContent } from './encode-question.ts'
import type { OpenRequest, RequestChannel } from './pending-requests.ts'
import type { HandlerResult, NeedsInput } from '../result.ts'
import { elicit, elicitUrl, listRoots, type Question, sample } from './question.ts'
import type { RequestStates } from './request-state.ts'

/** Limits on the questions of one call. */
export interface InputLimits {
  /**
   * How long a user or model may take to answer one question, in ms. Does not count towards the handler's
   * time limit.
   *
   * @default 600_000
   */
  readonly timeoutMs: number
  /** The maximum number of rounds of questions per call. @default 8 */
  readonly maxRounds: number
}

export const DEFAULT_INPUT_LIMITS: InputLimits = { timeoutMs: 600_000, maxRounds: 8 }

/** How calls on a connection ask the client questions. */
export interface InputContext {
  readonly rounds: InputRounds
  readonly limits: InputLimits
  /** Undefined if the server cannot send requests to the client while a call is running. */
  readonly live?: LiveRequests
  /** Seals the state of a call between two requests. */
  readonly states: RequestStates
  readonly bus: Bus
  readonly clock: Clock
}

/** Runs a handler for the first time, or again with the answers. */
export type Run = () => HandlerResult | Promise<HandlerResult>

/** How calls obtain input from their clients. A preset may omit it. */
interface InputRounds {
  /**
   * Continues a call with the responses or state of its request, or starts it if the revision has no rounds.
   */
  begin(ctx: InputCall, start: Run): HandlerResult | Promise<HandlerResult>
  /**
   * Obtains the answers to a handler's questions, either by sending requests to the client or by returning a
   * result with the questions.
   */
  resolve(ctx: InputCall, first: NeedsInput, handle: Run): Promise<HandlerResult>
  /**
   * Asks the user to open the URLs that an error requires. Returns undefined for other errors, and for clients
   * that do not support such questions.
   */
  elicitUrls(ctx: InputCall, error: unknown, start: Run): Promise<HandlerResult> | undefined
  readonly readForm: ReadForm
  /** Whether {@link failure} creates the response for the error. */
  isForClient(error: unknown): boolean
  /**
   * Creates the response for an error that requires URLs, or for a question without an answer. Returns undefined for
   * other errors.
   */
  failure(error: unknown, ctx: InputCall): InputFailure | undefined
}

export interface InputFailure {
  readonly error: McpError
  /** Text for the model. For an error that requires URLs, it contains the URLs, for clients that cannot open them. */
  readonly text?: string
}

/** The methods of `ctx` that ask a question while the handler is running. */
export type LiveMethod = 'elicit' | 'elicitUrl' | 'sample' | 'listRoots'

/** The members of a call that are needed to ask questions. */
export interface InputCall {
  readonly message: JsonRpcRequest
  readonly auth: AuthInfo | undefined
  readonly scope: {
    readonly revision: Revision
    readonly client: ClientView
    readonly exchange: Exchange
    readonly input?: InputContext | undefined
    readonly session?: { addPendingUrls(ids: readonly string[]): void }
  }
  readonly inputs: CallInputs
  /** Set if the call is observed. `ask` sends the request to the client as part of the observation. */
  readonly observer:
    | { ask(question: InputRequest, send: (question: InputRequest) => OpenRequest): OpenRequest }
    | undefined
  pause(atEnd: () => void): () => void
}

export type Questions = Readonly<Record<string, Question>>

export const tooManyRounds = ({ maxRounds }: InputLimits): QuestionError =>
  new QuestionError('too-many', `The call still had questions after ${maxRounds} rounds`)

/** Returns the digest of each question, keyed like the questions. */
export async function pinQuestions(questions: Questions): Promise<ReadonlyMap<string, string>> {
  const pins = Object.entries(questions).map(
    async ([key, question]) => [key, await digestOf(shownContent(question, key))] as const,
  )
  return new Map(await Promise.all(pins))
}

/** Returns undefined if requests cannot be sent to the client while the call is running. */
export const liveInputOf = ({ scope: { input, exchange } }: InputCall): LiveRequests | undefined =>
  exchange.duplex ? input?.live : undefined

/** Sends a request to a call's client, as part of the call's observation. */
function sendQuestion(
  { observer, scope: { exchange } }: InputCall,
  requests: RequestChannel,
  key: string,
  question: InputRequest,
): OpenRequest {
  const send = (request: InputRequest): OpenRequest => requests.send(key, request, exchange)
  return observer === undefined ? send(question) : observer.ask(question, send)
}

/** Returns the error for a handler that returned questions on a connection that cannot carry them. */
export const noClientChannel = (questions: Questions): McpError =>
  new McpError(
    ErrorCode.InvalidRequest,
    `An answer to "${Object.keys(questions).join('", "')}" is needed, but this connection cannot carry questions to the client: use a session, and allow streams as replies`,
  )

const QUESTIONS = { elicit, elicitUrl, sample, listRoots } as const

/** Sends requests to the client while a call is running, on connections that can carry them. */
export class LiveRequests {
  readonly requests: RequestChannel
  readonly #limits: InputLimits

  constructor(requests: RequestChannel, limits: InputLimits) {
    this.requests = requests
    this.#limits = limits
  }

  /**
   * Sends a handler's questions to the client, and runs the handler again with the answers until it has no more
   * questions.
   */
  async resolve(ctx: InputCall, first: NeedsInput, handle: Run): Promise<HandlerResult> {
    let outcome: HandlerResult = first
    for (let round = 1; outcome.kind === 'needs-input'; round++) {
      if (round > this.#limits.maxRounds) throw tooManyRounds(this.#limits)
      const { questions, state }: NeedsInput = outcome
      const pins = await pinQuestions(questions)
      const responses = await askAll(ctx, questions, this.requests)
      ctx.inputs.receive(mergeResponses(ctx.inputs.answers, pins, responses), state)
      outcome = await handle()
    }
    return outcome
  }

  /** Sends a request with any method, and returns its result. */
  async request(ctx: InputCall, method: string, params: JsonObject): Promise<JsonObject> {
    const open = sendQuestion(ctx, this.requests, method, { method, params })
    const resume = ctx.pause(() => open.cancel('The call has ended'))
    try {
      return await open.result
    } finally {
      resume()
    }
  }

  async ask(ctx: InputCall, method: LiveMethod, args: readonly unknown[]): Promise<unknown> {
    const question = (QUESTIONS[method] as (...given: readonly unknown[]) => Question)(...args)
    const responses = await askAll(ctx, { [method]: question }, this.requests)
    return decodeResponse(question, method, responses[method] as JsonObject)
  }
}

/** Sends all questions of a round at the same time. If one question fails, the others are cancelled. */
async function askAll(ctx: InputCall, questions: Questions, requests: RequestChannel): Promise<JsonObject> {
  const urlIds = new Map<string, string>()
  const to = { revision: ctx.scope.revision, client: ctx.scope.client, urlIds }
  // All questions are encoded before any of them is sent. If the client does not support one of them, it
  // receives none.
  const encoded = Object.entries(questions).map(
    ([key, question]) => [key, encodeQuestion(question, key, to)] as const,
  )
  ctx.inputs.urlIds = urlIds
  const open: OpenRequest[] = []
  const withdraw = (): void => open.forEach((request) => request.cancel('The call has ended'))
  const resume = ctx.pause(withdraw)
  try {
    const answers = encoded.map(async ([key, question]) => {
      const request = sendQuestion(ctx, requests, key, question)
      open.push(request)
      const { elicitationId } = question.params
      if (typeof elicitationId === 'string') ctx.scope.session?.addPendingUrls([elicitationId])
      return [key, await request.result] as const
    })
    return Object.fromEntries(await Promise.all(answers))
  } finally {
    withdraw()
    resume()
  }
}
