import { ErrorCode, McpError, QuestionError, usageError } from '../errors.ts'
import type { JsonObject } from '../protocol/jsonrpc.ts'
import type { Revision } from '../protocol/revisions/revision.ts'
import type { SchemaEngine } from '../schema/types.ts'
import { mergeAnswers, pinOf } from './answers.ts'
import type { ClientView } from './client-view.ts'
import type { Exchange } from './exchange.ts'
import type { GivenInputs } from './inputs.ts'
import type { NeedsInput, Outcome } from './outcome.ts'
import type { OpenedAddresses } from './opened-addresses.ts'
import type { OpenRequest, RequestChannel } from './outbound-requests.ts'
import { prepareQuestion, readAnswer, shownBy } from './prepared-question.ts'
import type { Question } from './questions.ts'
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
export interface Asking {
  readonly schemas: SchemaEngine
  readonly limits: InputLimits
  /** The way on which requests reach the client while a call runs, where there is one. */
  readonly requests?: RequestChannel
  /** Seals what a call knows, where it goes on with another request. */
  readonly states: RequestStates
  /** Tells when a user is done at an address. */
  readonly opened: OpenedAddresses
}

/** What asking needs to know of a call. */
export interface AskingCall {
  readonly scope: {
    readonly revision: Revision
    readonly client: ClientView
    readonly exchange: Exchange
    readonly asking?: Asking
    readonly settings?: { sentTo(ids: readonly string[]): void }
  }
  /** Where the answers go. */
  readonly given: GivenInputs
  pause(atEnd: () => void): () => void
}

type Questions = Readonly<Record<string, Question>>

/**
 * Answers an outcome's questions and runs its handler again, until it asks no more. This is how connections that carry
 * requests to the client do it; where questions go out as a result, the client brings the answers with a new call.
 */
export async function answerAll(
  ctx: AskingCall,
  first: NeedsInput,
  handle: () => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  const { asking, requests } = wayBack(ctx, Object.keys(first.questions))
  let outcome: Outcome = first
  for (let round = 1; outcome.kind === 'needs-input'; round++) {
    const { maxRounds } = asking.limits
    if (round > maxRounds) throw tooManyRounds(asking.limits)
    const { questions, state }: NeedsInput = outcome
    const asked = await pinAll(questions, asking.schemas)
    const responses = await askAll(ctx, questions, { asking, requests })
    ctx.given.receive(mergeAnswers(ctx.given.answers, asked, responses), state)
    outcome = await handle()
  }
  return outcome
}

/** Asks in the middle of a handler. */
export async function askNow<T>(ctx: AskingCall, key: string, question: Question<T>): Promise<T> {
  const { asking } = ctx.scope
  if (asking?.requests === undefined || !canBeAsked(ctx)) {
    throw usageError(
      'ERR_MCP_UNSUPPORTED_HERE',
      `ctx.${key} needs a connection that carries requests to the client while a call runs; declare the tool's asks, or return inputRequired(…), which work everywhere`,
    )
  }
  const responses = await askAll(ctx, { [key]: question }, { asking, requests: asking.requests })
  return (await readAnswer(question, key, asking.schemas, responses[key] as JsonObject)) as T
}

interface Way {
  readonly asking: Asking
  readonly requests: RequestChannel
}

/** Whether requests reach the client while the call runs. */
export const canBeAsked = ({ scope: { asking, exchange } }: AskingCall): boolean =>
  asking?.requests !== undefined && exchange.duplex

export const tooManyRounds = ({ maxRounds }: InputLimits): QuestionError =>
  new QuestionError('too-many', `Gave up: the call still had questions after ${maxRounds} rounds`)

function wayBack(ctx: AskingCall, keys: readonly string[]): Way {
  const { asking } = ctx.scope
  if (asking?.requests !== undefined && canBeAsked(ctx)) return { asking, requests: asking.requests }
  throw new McpError(
    ErrorCode.InvalidRequest,
    `An answer to "${keys.join('", "')}" is needed, but this connection carries no questions to the client: connect with a session, and let replies be streams`,
  )
}

/** One round: every question goes out at once. One that fails takes the others with it. */
async function askAll(ctx: AskingCall, questions: Questions, { asking, requests }: Way): Promise<JsonObject> {
  const sent = new Map<string, string>()
  const to = { revision: ctx.scope.revision, client: ctx.scope.client, schemas: asking.schemas, sent }
  // All before any: a client is not asked half of what it cannot answer in whole.
  const prepared = Object.entries(questions).map(
    ([key, question]) => [key, prepareQuestion(question, key, to)] as const,
  )
  ctx.given.sent = sent
  const open: OpenRequest[] = []
  const withdraw = (): void => open.forEach((request) => request.cancel('The call has ended'))
  const resume = ctx.pause(withdraw)
  try {
    const answers = prepared.map(async ([key, question]) => {
      const request = requests.send(key, question, ctx.scope.exchange)
      open.push(request)
      const { elicitationId } = question.params
      if (typeof elicitationId === 'string') ctx.scope.settings?.sentTo([elicitationId])
      return [key, await request.result] as const
    })
    return Object.fromEntries(await Promise.all(answers))
  } finally {
    withdraw()
    resume()
  }
}

/** The digest of each question, by its key. */
export async function pinAll(
  questions: Questions,
  schemas: SchemaEngine,
): Promise<ReadonlyMap<string, string>> {
  const pins = Object.entries(questions).map(
    async ([key, question]) => [key, await pinOf(shownBy(question, key, schemas))] as const,
  )
  return new Map(await Promise.all(pins))
}
