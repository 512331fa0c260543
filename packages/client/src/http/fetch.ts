import { TransportError } from '../errors.ts'
import { headersFrom } from '../util/headers.ts'
import { FetchError, type ResolvedHttpOptions } from './options.ts'
import { TextBuffer } from './text-buffer.ts'

export interface HttpCall {
  readonly url: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

/** Headers that custom headers cannot replace. */
const OURS = ['mcp-session-id', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'last-event-id'] as const
export const SSE = 'text/event-stream'
/** The maximum number of bytes to read from an error body. */
const MAX_REFUSAL_BYTES = 1024 * 1024
const MAX_REDIRECTS = 3
/** The maximum length of the error body's excerpt in the message, in UTF-16 code units. */
const EXCERPT = 256

/**
 * Sends one request. Follows only redirects that stay within the origin and keep the method, because the
 * headers contain a session id and credentials.
 *
 * @throws TransportError if there is no response; the signal's reason
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
      throw new TransportError(`${origin} redirects to another origin, or too often`, {
        status: response.status,
      })
    url = target.href
  }
}

async function fetchOnce(options: ResolvedHttpOptions, call: HttpCall): Promise<Response> {
  const { url, method, signal, body } = call
  const own = typeof options.headers === 'function' ? await options.headers({ url, method }) : options.headers
  signal.throwIfAborted()
  const others = headersFrom(undefined, own)
  for (const name of OURS) others.delete(name)
  const headers = headersFrom(others, call.headers)
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
    if (!(error instanceof FetchError))
      throw new TransportError(`Authorization at ${origin} has failed: see the cause`, {
        cause: error,
        authFailed: true,
      })
    const { cause } = error
    const code = codeOf(cause)
    throw new TransportError(`${origin} cannot be reached${code === undefined ? '' : `: ${code}`}`, {
      cause,
      unprocessed: code !== undefined && UNCONNECTED.has(code),
    })
  }
}

/**
 * The error codes that prove that nothing was sent. After any other failure, the server may have received the
 * request.
 */
const UNCONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Returns the error code of a failure. Node.js stores it in the cause. */
function codeOf(error: unknown): string | undefined {
  const { cause } = (error ?? {}) as { readonly cause?: { readonly code?: unknown } }
  return typeof cause?.code === 'string' ? cause.code : undefined
}

function redirectOf({ status, headers }: Response, method: string): string | undefined {
  const keepsMethod =
    status === 307 || status === 308 || (method === 'GET' && (status === 301 || status === 302))
  return keepsMethod ? (headers.get('location') ?? undefined) : undefined
}

/** Cancels the body, because an unread body blocks its connection. */
export async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => {})
}

/** Reads the body. @throws TransportError if it exceeds the limit, in bytes, is not UTF-8, or is incomplete */
export async function readText({ body }: Response, limit: number): Promise<string> {
  if (body === null) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const text = new TextBuffer()
  let size = 0
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      size += read.value.byteLength
      if (size > limit) throw new TransportError(`The response is longer than ${limit} bytes`)
      text.append(decoder.decode(read.value, { stream: true }))
    }
    return text.take(decoder.decode())
  } catch (error) {
    await reader.cancel().catch(() => {})
    if (error instanceof TransportError) throw error
    throw new TransportError('The response was cut, or is not UTF-8', { cause: error })
  }
}

export const readRefusal = (response: Response): Promise<string> =>
  readText(response, MAX_REFUSAL_BYTES).catch(() => '')

export const statusError = (status: number, method: string, text: string): TransportError =>
  new TransportError(
    `${method} was answered with HTTP status ${status}${text === '' ? '' : `: ${text.slice(0, EXCERPT)}`}`,
    { status },
  )

export const mediaType = ({ headers }: Response): string =>
  (headers.get('content-type')?.split(';')[0] ?? '').trim().toLowerCase()
