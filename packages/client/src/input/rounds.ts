import { isObject, type JsonObject, Method, type Revision } from '@jetway/core/protocol'
import { asStarted, ClientError, ConnectionClosedError, invalidResponse } from '../errors.ts'
import { anySignal } from '../util/promises.ts'

export interface RoundsOptions {
  readonly method: string
  readonly revision: Revision
  readonly maxRounds: number
  /** Sends the request with additional parameters. */
  readonly send: (extra: JsonObject) => Promise<JsonObject>
  readonly answer: (method: string, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>
  readonly signal: AbortSignal | undefined
}

/** The maximum number of input requests in one result. */
const MAX_INPUT_REQUESTS = 64

/**
 * Sends a request, and resends it with answers as long as the result is `input_required`.
 *
 * @throws ClientError `too-many-rounds`, `input-unavailable`
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export async function inRounds(options: RoundsOptions): Promise<JsonObject> {
  const { method, revision, maxRounds, send } = options
  let result = await send({})
  for (let round = 0; result['resultType'] === 'input_required'; round++) {
    if (revision.rounds?.has(method) !== true)
      throw invalidResponse(method, 'this method cannot require input')
    if (round === maxRounds)
      throw new ClientError('too-many-rounds', `${method} required input ${maxRounds + 1} times`)
    const answers = await answersTo(result, options)
    result = await send(answers).catch((error: unknown) => {
      throw asStarted(error)
    })
    // A result that depends on answers must not be cached, regardless of the server's hints. See
    // https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching#cache-key.
    if (method === Method.ReadResource) result = { ...result, ttlMs: 0, cacheScope: 'private' }
  }
  return result
}

async function answersTo({ inputRequests, requestState }: JsonObject, options: RoundsOptions) {
  if (inputRequests === undefined && requestState === undefined)
    throw invalidResponse(options.method, 'it requires input, but has no inputRequests and no requestState')
  if (requestState !== undefined && typeof requestState !== 'string')
    throw invalidResponse(options.method, 'its requestState is not a string')
  return {
    ...(inputRequests !== undefined && { inputResponses: await answerAll(inputRequests, options) }),
    ...(requestState !== undefined && { requestState }),
  }
}

/** Handles input requests concurrently. The first failure aborts the others. @throws ClientError */
export async function answerAll(
  inputRequests: unknown,
  { method, answer, signal }: Pick<RoundsOptions, 'method' | 'answer' | 'signal'>,
): Promise<JsonObject> {
  const requests = readInputRequests(inputRequests, method)
  const over = new AbortController()
  const all = anySignal(signal, over.signal)
  try {
    const answers = requests.map(
      async ({ key, wanted, params }) => [key, await answer(wanted, params, all)] as const,
    )
    return Object.fromEntries(await Promise.all(answers))
  } catch (cause) {
    if (signal?.aborted === true) throw signal.reason
    if (cause instanceof ConnectionClosedError) throw cause
    throw inputUnavailable(cause)
  } finally {
    over.abort(new Error('Another input request has failed'))
  }
}

export function inputUnavailable(cause: unknown): ClientError {
  const text = cause instanceof Error ? cause.message : String(cause)
  return new ClientError('input-unavailable', `The server asked for input and got none: ${text}`, { cause })
}

function readInputRequests(given: unknown, method: string) {
  if (!isObject(given)) throw invalidResponse(method, 'its inputRequests are not an object')
  const entries = Object.entries(given)
  if (entries.length > MAX_INPUT_REQUESTS)
    throw invalidResponse(method, `it has more than ${MAX_INPUT_REQUESTS} input requests`)
  return entries.map(([key, request]) => {
    const { method: wanted, params = {} } = isObject(request) ? request : {}
    if (typeof wanted === 'string' && isObject(params)) return { key, wanted, params }
    throw invalidResponse(method, `its input request ${JSON.stringify(key)} is malformed`)
  })
}
