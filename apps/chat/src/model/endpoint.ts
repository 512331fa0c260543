import { setTimeout as delay } from 'node:timers/promises'
import { sseEvents } from '@jetway/client/http'
import { isObject, type JsonObject } from '@jetway/core/protocol'
import { ModelError } from './model.ts'

export interface Endpoint {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** Statuses for which a retry is worthwhile: rate limits, and servers that are overloaded or restarting. */
const RETRYABLE: readonly number[] = [408, 429, 500, 502, 503, 504, 529]
const RETRIES = 2
const FIRST_DELAY_MS = 1_000
const MAX_DELAY_MS = 30_000
/** The maximum length of an event, in UTF-16 code units. */
const MAX_EVENT = 16 * 1024 * 1024
/** The maximum length of an error message that is shown, in UTF-16 code units. */
const MAX_REASON = 500

/**
 * Posts a request and yields the JSON values of the streamed reply. If the endpoint does not stream, yields the
 * whole reply as one value, with `whole: true`.
 *
 * @throws ModelError, and the signal's reason
 */
export async function* requestValues(
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
    throw new ModelError(`The model's reply broke off: ${(error as Error).message}`)
  }
  // An aborted stream ends without an error.
  signal.throwIfAborted()
}

async function* streamed({ body }: Response, signal: AbortSignal): AsyncGenerator<JsonObject> {
  if (body === null) throw new ModelError("The model's reply has no body")
  for await (const { data } of sseEvents(body, signal, MAX_EVENT)) {
    if (data === '[DONE]') break
    if (data !== '') yield parse(data)
  }
}

async function post({ url, headers }: Endpoint, body: JsonObject, signal: AbortSignal): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    const response = await send(url, headers, body, signal)
    if (response.ok) return response
    if (!RETRYABLE.includes(response.status) || attempt >= RETRIES)
      throw new ModelError(`The model's endpoint answered ${response.status}: ${await reasonOf(response)}`)
    await response.body?.cancel()
    await delay(delayOf(response, attempt), undefined, { signal }).catch(() => signal.throwIfAborted())
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
      // A redirect would send the API key to another host.
      redirect: 'error',
      signal,
    })
  } catch (error) {
    signal.throwIfAborted()
    throw new ModelError(`The model cannot be reached at ${new URL(url).origin}: ${causeOf(error as Error)}`)
  }
}

/** Node stores the reason for a failed `fetch` in the error's `cause`. */
function causeOf({ message, cause }: Error): string {
  if (!(cause instanceof Error)) return message
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
}

function delayOf(response: Response, attempt: number): number {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  const delayMs = Number.isFinite(seconds) ? seconds * 1_000 : FIRST_DELAY_MS * 2 ** attempt
  return Math.min(Math.max(delayMs, 0), MAX_DELAY_MS)
}

/** Both APIs describe the problem in `error.message`. */
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
    // The code below throws for invalid JSON.
  }
  throw new ModelError("The model's reply is not a JSON object")
}
