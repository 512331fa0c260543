import { TransportError } from '../errors.ts'
import { CredentialsError } from './credentials.ts'
import type { ResolvedHttpOptions } from './options.ts'
import { TextRest } from './text-rest.ts'

/** One request, before one's own headers are added. */
export interface HttpCall {
  readonly url: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

/** What the protocol alone decides. */
const OURS = ['mcp-session-id', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'last-event-id'] as const
/** The media type of a stream of events. */
export const SSE = 'text/event-stream'
/** What of a refusal's body is read, in bytes. */
const MAX_REFUSAL_BYTES = 1024 * 1024
/** Redirects that are followed. */
const MAX_REDIRECTS = 3
/** What of a refusal's body goes into its error, in UTF-16 units. */
const EXCERPT = 256

/**
 * Sends one request. Redirects are followed within the origin alone, and only where they keep the method: the headers
 * hold a session, and credentials.
 *
 * @throws TransportError where there was no answer; the signal's reason where it is aborted
 */
export async function fetchHttp(options: ResolvedHttpOptions, call: HttpCall): Promise<Response> {
  let { url } = call
  for (let redirects = 0; ; redirects++) {
    const response = await fetchOnce(options, { ...call, url })
    const next = redirectOf(response, call.method)
    if (next === undefined) return response
    await discard(response)
    const { origin } = new URL(url)
    const target = URL.canParse(next, url) ? new URL(next, url) : undefined
    if (target?.origin !== origin || redirects >= MAX_REDIRECTS)
      throw new TransportError(`${origin} redirects, and not within itself, or too often`, {
        status: response.status,
      })
    url = target.href
  }
}

async function fetchOnce(options: ResolvedHttpOptions, call: HttpCall): Promise<Response> {
  const { url, method, signal, body } = call
  const own = typeof options.headers === 'function' ? await options.headers({ url, method }) : options.headers
  signal.throwIfAborted()
  const headers = new Headers(own)
  for (const name of OURS) headers.delete(name)
  for (const [name, value] of Object.entries(call.headers)) headers.set(name, value)
  try {
    return await options.fetch(url, {
      method,
      headers,
      signal,
      redirect: 'manual',
      ...(body !== undefined && { body }),
    })
  } catch (error) {
    signal.throwIfAborted()
    const { origin } = new URL(url)
    if (error instanceof CredentialsError)
      throw new TransportError(`Authorization at ${origin} has failed: the cause says why`, {
        cause: error.cause,
        ofCredentials: true,
      })
    const code = codeOf(error)
    throw new TransportError(`${origin} cannot be reached${code === undefined ? '' : `: ${code}`}`, {
      cause: error,
      unprocessed: code !== undefined && UNCONNECTED.has(code),
    })
  }
}

/** There was no connection on which anything could have been sent. After any other failure the server may have it all. */
const UNCONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Node says why a fetch has failed in the cause of its error. */
function codeOf(error: unknown): string | undefined {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } }
  return typeof cause?.code === 'string' ? cause.code : undefined
}

function redirectOf({ status, headers }: Response, method: string): string | undefined {
  const keepsMethod =
    status === 307 || status === 308 || (method === 'GET' && (status === 301 || status === 302))
  return keepsMethod ? (headers.get('location') ?? undefined) : undefined
}

/** Lets a connection go on to be used: a body that nobody reads holds it. */
export async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => {})
}

/**
 * The body as text.
 *
 * @throws TransportError where it is longer than the limit, in bytes, no UTF-8, or cut
 */
export async function readText({ body }: Response, limit: number): Promise<string> {
  if (body === null) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const text = new TextRest()
  let size = 0
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      size += read.value.byteLength
      if (size > limit) throw new TransportError(`A reply is longer than ${limit} bytes`)
      text.append(decoder.decode(read.value, { stream: true }))
    }
    return text.take(decoder.decode())
  } catch (error) {
    await reader.cancel().catch(() => {})
    if (error instanceof TransportError) throw error
    throw new TransportError('A reply was cut, or is no text', { cause: error })
  }
}

/** What a refusal says; nothing where it cannot be read. */
export const readRefusal = (response: Response): Promise<string> =>
  readText(response, MAX_REFUSAL_BYTES).catch(() => '')

/** The error of a status that no message of the protocol explains. */
export const statusError = (status: number, method: string, text: string): TransportError =>
  new TransportError(
    `${method} was answered with HTTP status ${status}${text === '' ? '' : `: ${text.slice(0, EXCERPT)}`}`,
    { status },
  )

export const mediaType = ({ headers }: Response): string =>
  (headers.get('content-type')?.split(';')[0] ?? '').trim().toLowerCase()
