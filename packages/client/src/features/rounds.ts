import { isObject, type JsonObject, Method, type Revision } from '@jetway/core/protocol'
import { begun, ClientError, ConnectionClosedError, invalidAnswer } from '../errors.ts'

export interface RoundsOptions {
  readonly method: string
  readonly revision: Revision
  readonly maxRounds: number
  /** Sends the request with what is to be added to its parameters. */
  send(extra: JsonObject): Promise<JsonObject>
  readonly answer: (method: string, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>
  readonly signal: AbortSignal | undefined
}

/** Questions that one result may hold. */
const MAX_QUESTIONS = 64

/**
 * Sends a request, and again with answers for as long as its result is questions. What the server gives along for its own
 * memory goes back as it came; each round answers the questions of the one before it only.
 *
 * @throws ClientError `too-many-rounds`, `unanswerable`
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export async function inRounds(options: RoundsOptions): Promise<JsonObject> {
  const { method, revision, maxRounds } = options
  let result = await options.send({})
  for (let round = 0; asksBack(result); round++) {
    if (revision.rounds?.methods.has(method) !== true)
      throw invalidAnswer(method, 'it cannot come back with questions')
    if (round === maxRounds)
      throw new ClientError('too-many-rounds', `${method} came back with questions ${maxRounds + 1} times`)
    result = keptByNobody(method, await onceMore(options, await answersTo(result, options)))
  }
  return result
}

/**
 * What depends on answers must not be given to whoever asks again, whatever the server says:
 * https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching#cache-key
 */
const keptByNobody = (method: string, result: JsonObject): JsonObject =>
  method === Method.ReadResource ? { ...result, ttlMs: 0, cacheScope: 'private' } : result

async function onceMore(options: RoundsOptions, answers: JsonObject): Promise<JsonObject> {
  try {
    return await options.send(answers)
  } catch (error) {
    throw begun(error)
  }
}

const asksBack = (result: JsonObject): boolean => result['resultType'] === 'input_required'

async function answersTo(result: JsonObject, options: RoundsOptions): Promise<JsonObject> {
  const { inputRequests, requestState } = result
  if (inputRequests === undefined && requestState === undefined)
    throw invalidAnswer(options.method, 'it asks for input, and says neither which nor why')
  if (requestState !== undefined && typeof requestState !== 'string')
    throw invalidAnswer(options.method, 'its requestState is no text')
  const state = requestState === undefined ? {} : { requestState }
  if (inputRequests === undefined) return state
  return { inputResponses: await answerAll(inputRequests, options), ...state }
}

/**
 * The answers to questions by name, asked side by side. Where one has no answer the others need none either.
 *
 * @throws ClientError
 */
export async function answerAll(
  inputRequests: unknown,
  { method, answer, signal }: Pick<RoundsOptions, 'method' | 'answer' | 'signal'>,
): Promise<JsonObject> {
  const asked = readQuestions(inputRequests, method)
  const controller = new AbortController()
  const all = signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal])
  try {
    const answers = asked.map(async ([key, question]) => {
      const answered = await answer(question.method, question.params, all)
      return [key, answered] as const
    })
    return Object.fromEntries(await Promise.all(answers))
  } catch (cause) {
    if (signal?.aborted === true) throw signal.reason
    if (cause instanceof ConnectionClosedError) throw cause
    const text = cause instanceof Error ? cause.message : String(cause)
    throw new ClientError('unanswerable', `A question of the server has no answer: ${text}`, { cause })
  } finally {
    controller.abort(new Error('The questions are over'))
  }
}

interface Question {
  readonly method: string
  readonly params: JsonObject
}

function readQuestions(given: unknown, method: string): readonly (readonly [string, Question])[] {
  if (!isObject(given)) throw invalidAnswer(method, 'its inputRequests are no object')
  const entries = Object.entries(given)
  if (entries.length > MAX_QUESTIONS)
    throw invalidAnswer(method, `it has more than ${MAX_QUESTIONS} questions`)
  return entries.map(([key, question]) => {
    if (!isObject(question) || typeof question['method'] !== 'string')
      throw invalidAnswer(method, `its question ${JSON.stringify(key)} has no method`)
    const { params = {} } = question
    if (!isObject(params)) throw invalidAnswer(method, `its question ${JSON.stringify(key)} is malformed`)
    return [key, { method: question['method'], params }]
  })
}
