import { invalidParams, isErrorOf, QuestionError } from '../../errors.ts'
import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts'
import {
  checkShape,
  decodeResponse,
  mergeResponses,
  type PinnedResponse,
  type ResponsesByKey,
  responseTo,
  type UnmatchedResponses,
} from './inputs.ts'
import {
  type InputCall,
  type InputContext,
  liveInputOf,
  noClientChannel,
  pinQuestions,
  type Questions,
  type Run,
  tooManyRounds,
} from './ask.ts'
import { ANONYMOUS } from '../../stores/principal.ts'
import type { InputRequested, NeedsInput, HandlerResult } from '../result.ts'
import { encodeQuestion } from './encode-question.ts'
import { partsOf, type Question, type QuestionKind } from './question.ts'
import type { RequestStates, Round } from './request-state.ts'

const NONE: ResponsesByKey = new Map()
const NO_RESPONSES: JsonObject = {}

/**
 * Reads the responses of a request before its handler runs. If the round is incomplete, the handler runs with
 * the state from before the round, so that it asks the same questions again.
 *
 * @throws McpError for an invalid state, and for malformed responses
 */
export async function readResponses(ctx: InputCall): Promise<void> {
  const { input } = ctx.scope
  const { inputResponses, requestState } = ctx.message.params ?? NO_RESPONSES
  const round = requestState === undefined ? undefined : await input?.states.open(requestState, ownerOf(ctx))
  const responses = objectOf(inputResponses)
  if (round === undefined) {
    ctx.inputs.unmatched = { responses }
    return
  }
  ctx.inputs.rounds = round.number
  ctx.inputs.urlIds = idsOf(round)
  const answers = mergeResponses(round.partial, pinsOf(round), responses)
  for (const [key, { kind }] of round.asked) {
    const response = own(responses, key)
    if (response !== undefined) checkSent(kind, response, key)
  }
  if ([...round.asked.keys()].every((key) => answers.has(key)))
    return ctx.inputs.receive(new Map([...round.known, ...answers]), round.after)
  ctx.inputs.receive(round.known, round.before)
  ctx.inputs.unmatched = { answers }
}

/**
 * Obtains the answers to a handler's questions: from the request, by sending requests to the client, or by
 * returning a result with the questions.
 */
export async function resolveInput(ctx: InputCall, first: NeedsInput, handle: Run): Promise<HandlerResult> {
  const { inputs, scope, message } = ctx
  const live = liveInputOf(ctx)
  if (
    scope.input === undefined ||
    (live === undefined && scope.revision.rounds?.has(message.method) !== true)
  )
    throw noClientChannel(first.questions)
  let needed = first
  let answers = NONE
  if (inputs.unmatched !== undefined) {
    answers = await match(first, inputs.unmatched)
    // The client's responses belong to the first questions. Later questions form another round.
    inputs.unmatched = undefined
    if (answers.size === Object.keys(first.questions).length) {
      inputs.receive(new Map([...inputs.answers, ...answers]), first.state)
      const result = await handle()
      if (result.kind !== 'needs-input') return result
      needed = result
      answers = NONE
    }
  }
  if (live === undefined) return ask(ctx, scope.input, needed, answers)
  // A task does not ask the questions whose answers were already received by its call.
  if (answers.size > 0) inputs.receive(new Map([...inputs.answers, ...answers]), inputs.state)
  return live.resolve(ctx, { ...needed, questions: openOf(needed, answers) }, handle)
}

const openOf = ({ questions }: NeedsInput, answered: ResponsesByKey): Questions =>
  Object.fromEntries(Object.entries(questions).filter(([key]) => !answered.has(key)))

async function match({ questions }: NeedsInput, unmatched: UnmatchedResponses): Promise<ResponsesByKey> {
  const pins = await pinQuestions(questions)
  const found = new Map<string, PinnedResponse>()
  for (const [key, pin] of pins) {
    const response =
      'answers' in unmatched ? responseTo(unmatched.answers, key, pin) : own(unmatched.responses, key)
    if (response === undefined) continue
    if ('answers' in unmatched || (await fits(questions[key] as Question, key, response)))
      found.set(key, { pin, response })
  }
  return found
}

/** Returns whether a response that was sent without `requestState` is a valid response to this question. */
async function fits(question: Question, key: string, response: JsonObject): Promise<boolean> {
  try {
    await decodeResponse(question, key, response)
    return true
  } catch (error) {
    if (isErrorOf(QuestionError, error)) return error.reason !== 'invalid'
    throw error
  }
}

async function ask(
  ctx: InputCall,
  { limits, states }: InputContext,
  needed: NeedsInput,
  answered: ResponsesByKey,
): Promise<InputRequested> {
  const { inputs, scope } = ctx
  if (inputs.rounds >= limits.maxRounds) throw tooManyRounds(limits)
  const open = openOf(needed, answered)
  const urlIds = new Map<string, string>()
  const to = { revision: scope.revision, client: scope.client, urlIds }
  const requests = Object.entries(open).map(([key, it]) => [key, encodeQuestion(it, key, to)] as const)
  const pins = await pinQuestions(open)
  const asked = [...pins].map(
    ([key, pin]) => [key, { pin, kind: partsOf(open[key] as Question).kind, id: urlIds.get(key) }] as const,
  )
  const round: Round = {
    number: inputs.rounds + 1,
    known: inputs.answers,
    partial: answered,
    asked: new Map(asked),
    before: inputs.state,
    after: needed.state,
  }
  const sealed = await states.seal(round, ownerOf(ctx))
  if (sealed === undefined) throw new QuestionError('too-large', TOO_LARGE)
  const questions = requests.length === 0 ? {} : { inputRequests: Object.fromEntries(requests) }
  return { kind: 'input-requested', type: 'input_required', result: { ...questions, requestState: sealed } }
}

const TOO_LARGE = 'The answers so far are too large to ask more questions'

function ownerOf({ message, auth }: InputCall): Parameters<RequestStates['seal']>[1] {
  const { method, params = NO_RESPONSES } = message
  return { principal: auth?.principal ?? ANONYMOUS, method, params }
}

const pinsOf = ({ asked }: Round): ReadonlyMap<string, string> =>
  new Map([...asked].map(([key, { pin }]) => [key, pin]))

function idsOf({ asked }: Round): ReadonlyMap<string, string> | undefined {
  const ids = [...asked].flatMap(([key, { id }]) => (id === undefined ? [] : [[key, id] as const]))
  return ids.length === 0 ? undefined : new Map(ids)
}

const own = (responses: JsonObject, key: string): JsonObject | undefined =>
  Object.hasOwn(responses, key) ? (responses[key] as JsonObject) : undefined

function objectOf(responses: unknown): JsonObject {
  if (responses === undefined) return NO_RESPONSES
  if (!isObject(responses) || !Object.values(responses).every(isObject))
    throw invalidParams('The member "inputResponses" must be an object of results')
  return responses
}

/** Rejects a malformed response as invalid parameters, because the client made the mistake, not the user. */
function checkSent(kind: QuestionKind, response: JsonObject, key: string): void {
  try {
    checkShape(kind, response, key)
  } catch (error) {
    throw isErrorOf(QuestionError, error) ? invalidParams(error.message) : error
  }
}
