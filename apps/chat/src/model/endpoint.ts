import { setTimeout as delay } from 'node:timers/promises'
import { sseEvents } from '@jetway/client/http'
import { isObject, type JsonObject } from '@jetway/core/protocol'
import { ModelError } from './model.ts'

export interface Endpoint {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** Statuses that pass: too many requests, and servers that are overloaded or restart. */
const PASSING: readonly number[] = [408, 429, 500, 502, 503, 504, 529]
const RETRIES = 2
const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 30_000
/** UTF-16 units of one event. */
const MAX_EVENT = 16 * 1024 * 1024
/** What of an error is shown, in UTF-16 units. */
const MAX_REASON = 500

/**
 * Asks for a stream of JSON values, or takes the one that an endpoint gives which does not stream.
 *
 * @throws ModelError; the reason of the signal
 */
export async function* values(
  endpoint: Endpoint,
  body: JsonObject,
  signal: AbortSignal,
): AsyncGenerator<{ readonly value: JsonObject; readonly whole: boolean }> {
  const response = await post(endpoint, body, signal)
  try {
    if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true)
      yield { value: parse(await response.text()), whole: true }
    else for await (const value of streamed(response, signal)) yield { value, whole: false }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ModelError) throw error
    throw new ModelError(`The model's answer was cut: ${(error as Error).message}`)
  }
  // A stream that is aborted ends as if it were over.
  signal.throwIfAborted()
}

async function* streamed({ body }: Response, signal: AbortSignal): AsyncGenerator<JsonObject> {
  if (body === null) throw new ModelError('The model gave no answer')
  for await (const { data } of sseEvents(body, signal, MAX_EVENT)) {
    if (data === '[DONE]') break
    if (data !== '') yield parse(data)
  }
}

async function post({ url, headers }: Endpoint, body: JsonObject, signal: AbortSignal): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    const response = await send(url, headers, body, signal)
    if (response.ok) return response
    if (!PASSING.includes(response.status) || attempt >= RETRIES)
      throw new ModelError(`The model's endpoint answered ${response.status}: ${await reasonOf(response)}`)
    await response.body?.cancel()
    await delay(pauseOf(response, attempt), undefined, { signal }).catch(() => signal.throwIfAborted())
  }
}

async function send(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: JsonObject,
  signal: AbortSignal,
): Promise<Response> {
  try {
    return await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream, application/json',
        ...headers,
      },
      body: JSON.stringify(body),
      // Elsewhere the key is nobody's business.
      redirect: 'error',
      signal,
    })
  } catch (error) {
    signal.throwIfAborted()
    throw new ModelError(`The model cannot be reached at ${new URL(url).origin}: ${whyOf(error as Error)}`)
  }
}

/** Node says why a fetch has failed in the cause of its error. */
function whyOf({ message, cause }: Error): string {
  if (!(cause instanceof Error)) return message
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
}

function pauseOf(response: Response, attempt: number): number {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  const asked = Number.isFinite(seconds) ? seconds * 1_000 : FIRST_PAUSE_MS * 2 ** attempt
  return Math.min(Math.max(asked, 0), MAX_PAUSE_MS)
}

/** Both APIs say what is wrong in `error.message`. */
async function reasonOf(response: Response): Promise<string> {
  const text = await response.text().catch(() => '')
  return (messageOf(text) ?? text).slice(0, MAX_REASON)
}

function messageOf(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { readonly error?: { readonly message?: unknown } }
    return typeof error?.message === 'string' ? error.message : undefined
  } catch {
    return undefined
  }
}

function parse(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch {
    // Said below.
  }
  throw new ModelError('The model answered with something that is no JSON object')
}
