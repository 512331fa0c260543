import { type IncomingHttpHeaders, type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'

/** A request to send. */
export interface HttpCall {
  readonly url: URL
  readonly method: 'GET' | 'POST' | 'DELETE' | 'OPTIONS'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A reply. Its body is truncated at the limit. */
export interface HttpReply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export interface ExchangeLimits {
  /** The time limit for the request and the body, in ms. */
  readonly timeoutMs: number
  /** Stops reading the body when this function returns true. */
  readonly isComplete?: (text: string) => boolean
}

/** Thrown if there is no reply. The code is a Node.js error code such as `ECONNREFUSED`, or `TIMEOUT`. */
export class NoReplyError extends Error {
  override name = 'NoReplyError'
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

const MAX_BODY_BYTES = 256 * 1024

/** Sends one request on a new connection. Does not follow redirects. @throws NoReplyError */
export async function exchange(
  call: HttpCall,
  { timeoutMs, isComplete }: ExchangeLimits,
): Promise<HttpReply> {
  const message = await open(call, AbortSignal.timeout(timeoutMs))
  const text = await readText(message, isComplete)
  return { status: message.statusCode ?? 0, headers: message.headers, text }
}

/** Resolves when the reply's headers have arrived. The signal also aborts the body. @throws NoReplyError */
export function open(
  { url, method, headers, body }: HttpCall,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestSecure : requestPlain
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const sent = send(url, { method, headers: { ...headers, ...length }, agent: false, signal }, resolve)
    sent.on('error', (cause: NodeJS.ErrnoException) => reject(noReply(cause, signal)))
    sent.end(body)
  })
}

function noReply(cause: NodeJS.ErrnoException, signal: AbortSignal): NoReplyError {
  if (signal.aborted) return new NoReplyError('TIMEOUT', 'no reply in time', { cause })
  const first = cause instanceof AggregateError ? (cause.errors[0] as NodeJS.ErrnoException) : cause
  return new NoReplyError(first.code ?? 'ERROR', first.message, { cause })
}

/** Reads the body. Resolves to the text received so far if the body is too long, too slow or incomplete. */
async function readText(message: IncomingMessage, isComplete?: (text: string) => boolean): Promise<string> {
  let text = ''
  let bytes = 0
  try {
    for await (const chunk of message) {
      bytes += (chunk as Buffer).byteLength
      text += (chunk as Buffer).toString('utf8')
      if (bytes > MAX_BODY_BYTES || isComplete?.(text) === true) break
    }
  } catch {
    // The bytes received so far are still used.
  }
  message.destroy()
  return text
}

/** Formats a URL for the user. The query is omitted, because it may contain secrets. */
export const shown = (url: URL | string): string => {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

/** Returns the media type of a reply without its parameters. */
export const mediaType = (headers: IncomingHttpHeaders): string =>
  (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''

export const EVENT_STREAM = 'text/event-stream'
