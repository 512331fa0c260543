import { ErrorCode } from '../errors.ts'
import { classify, errorFrame, type RequestId } from '../protocol/jsonrpc.ts'
import { TOKEN } from '../protocol/header-text.ts'
import { Method } from '../protocol/methods.ts'
import type { Selection } from '../protocol/revisions/select.ts'
import type { HttpReply } from './types.ts'

/** A row of the status table in `docs/reference/http.md`. That table also says when each status is used. */
export interface StatusRow {
  readonly status: number
  /** The message of the JSON-RPC error in the body. */
  readonly message?: string
  /** The name of the error code. @default `InternalError` for statuses from 500 on, otherwise `InvalidRequest` */
  readonly code?: keyof typeof ErrorCode
  /** The body, if it is plain text rather than a JSON-RPC error. */
  readonly text?: string
}

/** All statuses that a mount sends, in the order of the checks. */
export const STATUSES = {
  notHere: { status: 404, message: 'Not found' },
  wrongMethod: { status: 405, message: 'Method not allowed' },
  forbiddenHost: {
    status: 403,
    message: 'This Host is not allowed: see the allowedHosts and publicUrl options of the mount',
  },
  forbiddenOrigin: {
    status: 403,
    message: 'This Origin is not allowed: see the allowedOrigins and publicUrl options of the mount',
  },
  options: { status: 204 },
  repeatedHeader: { status: 400, message: 'A header is repeated that must not be' },
  unsupportedMediaType: { status: 415, message: 'Content-Type must be application/json' },
  unsupportedMessageType: { status: 400, message: 'Content-Type must be application/json' },
  notAcceptable: { status: 406, message: 'Accept must allow application/json and text/event-stream' },
  notAcceptableStream: { status: 406, message: 'Accept must allow text/event-stream' },
  pipelined: { status: 503, message: 'A stream needs its own connection' },
  malformedSessionId: { status: 400, message: 'Mcp-Session-Id must be 1 to 1024 visible ASCII characters' },
  draining: { status: 503, message: 'The server is shutting down' },
  unauthorized: { status: 401, message: 'Authentication is required' },
  authorizationUnavailable: { status: 503, message: 'Authentication is not available, try again shortly' },
  missingSession: { status: 400, message: 'No session: send an initialize request first' },
  unknownSession: { status: 404, message: 'Session not found: send an initialize request' },
  noSessionId: { status: 400, text: 'sessionId query parameter is not provided' },
  noConnection: { status: 404, text: 'Session not found' },
  unsupportedVersion: { status: 400, message: 'Unsupported protocol version: this server speaks …' },
  unreadableBody: { status: 400, code: 'ParseError', message: 'The body could not be read' },
  encodedBody: { status: 415, message: 'The body must not have a Content-Encoding' },
  bodyTimeout: { status: 408, message: 'The body took too long' },
  tooManyBodies: { status: 503, message: 'Too many bodies are being read, try again shortly' },
  bodyTooLarge: { status: 413, message: 'The body is too large' },
  parseError: { status: 400, code: 'ParseError', message: 'The message is not valid JSON' },
  unreadReplies: { status: 503, message: 'Too many replies wait for their clients, try again shortly' },
  invalidMessage: { status: 400, message: 'A message must be a JSON object' },
  batch: { status: 400, message: 'Batches are not part of this protocol revision' },
  initializedAlready: { status: 400, message: 'The session is initialized already' },
  badMetadata: {
    status: 400,
    code: 'InvalidParams',
    message: '_meta["io.modelcontextprotocol/protocolVersion"] must be a string',
  },
  headerMismatch: {
    status: 400,
    code: 'HeaderMismatch',
    message: 'The header … is missing or differs from the body',
  },
  noServer: { status: 404, message: 'There is no server for this request' },
  insufficientScope: { status: 403, message: 'Needs more scopes' },
  initializeRefused: {
    status: 400,
    code: 'InvalidParams',
    message: 'initialize needs params.protocolVersion, a string',
  },
  tooManySessions: { status: 503, message: 'There are too many sessions, try again shortly' },
  busy: { status: 503, message: 'The server is busy, try again shortly' },
  unknownEvent: {
    status: 400,
    message: 'Last-Event-ID names nothing that can be resumed: send the request without it',
  },
  unavailable: { status: 503, message: 'The server cannot reach its sessions, try again shortly' },
  callEnded: { status: 503, message: 'The server ended the call' },
  internal: { status: 500, message: 'Internal error' },
  answered: { status: 200 },
  accepted: { status: 202 },
  unmatchedResponse: { status: 202 },
  taken: { status: 202, text: 'Accepted' },
  ended: { status: 204 },
} as const

export type StatusKey = keyof typeof STATUSES
/** The rows that refuse a request. */
export type RefusalKey = Exclude<
  StatusKey,
  'options' | 'callEnded' | 'answered' | 'accepted' | 'taken' | 'ended'
>

type Headers = Readonly<Record<string, string>>
const NO_HEADERS: Headers = Object.freeze({})
const TEXT_HEADERS: Headers = Object.freeze({ 'content-type': 'text/plain; charset=utf-8' })
export const JSON_HEADERS: Headers = Object.freeze({ 'content-type': 'application/json' })
/** The headers of a reply to a request whose body was not read completely. */
export const CLOSE_HEADERS: Headers = Object.freeze({ connection: 'close' })
/** The headers of a reply with status 503. */
export const RETRY_HEADERS: Headers = Object.freeze({ ...JSON_HEADERS, 'retry-after': '1' })

/** The details of a refusal that are not in its row. */
interface RefusalDetails {
  readonly id?: RequestId | undefined
  readonly message?: string | undefined
  readonly code?: number | undefined
  readonly data?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly status?: number | undefined
}

/** See https://www.rfc-editor.org/rfc/rfc9110#section-5.5. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

const reasons = new WeakMap<HttpReply, StatusKey>()
const plain = new Map(Object.keys(STATUSES).map((key) => [key, build(key as StatusKey, {})]))

export const ACCEPTED: HttpReply = build('accepted', {})
export const TAKEN: HttpReply = build('taken', {})
export const ENDED: HttpReply = build('ended', {})

/** Returns the reply for a row. Without details, the reply is always the same object, with the same bytes. */
export function refuse(key: RefusalKey, details?: RefusalDetails): HttpReply {
  const ready = plain.get(key)
  for (const [name, value] of Object.entries(details?.headers ?? NO_HEADERS))
    if (!TOKEN.test(name) || typeof value !== 'string' || !VALUE.test(value))
      throw new TypeError(`A header cannot be ${JSON.stringify(name)}: ${JSON.stringify(value)}`)
  return details === undefined && ready !== undefined ? ready : build(key, details ?? {})
}

/** Returns the reply to a request that is valid in none of the served revisions. */
export const refuseRevision = (
  { error, reason }: Extract<Selection, { readonly kind: 'refuse' }>,
  id: RequestId | undefined,
): HttpReply => refuse(reason, { id, message: error.message, code: error.code })

/**
 * Refuses a message or batch that contains calls, because too many replies are queued. Pings are accepted,
 * because they check the connection. Notifications and responses are also accepted, because running calls may
 * need them in order to end.
 */
export function refuseCalls(body: unknown): HttpReply | undefined {
  const values: readonly unknown[] = Array.isArray(body) ? body : [body]
  for (const value of values) {
    const incoming = classify(value)
    if (incoming.kind !== 'request' || incoming.message.method === Method.Ping) continue
    return refuse('unreadReplies', { id: values === body ? undefined : incoming.message.id })
  }
  return undefined
}

/** Returns the row of a reply that is a refusal, or undefined for any other reply. */
export const reasonOf = (reply: HttpReply): StatusKey | undefined => reasons.get(reply)

/** Returns the JSON-RPC error code of a row that has a message. */
export function codeOf({ status, code }: StatusRow): number {
  return ErrorCode[code ?? (status >= 500 ? 'InternalError' : 'InvalidRequest')]
}

function build(key: StatusKey, details: RefusalDetails): HttpReply {
  const row: StatusRow = STATUSES[key]
  const reply = Object.freeze(
    row.message === undefined ? textReply(row) : jsonReply(row, row.message, details),
  )
  reasons.set(reply, key)
  return reply
}

function textReply({ status, text }: StatusRow): HttpReply {
  return text === undefined ? { status, headers: NO_HEADERS } : { status, headers: TEXT_HEADERS, body: text }
}

function jsonReply(
  row: StatusRow,
  standard: string,
  { id, message = standard, code = codeOf(row), data, headers, status = row.status }: RefusalDetails,
): HttpReply {
  const own = row.status === 503 ? RETRY_HEADERS : JSON_HEADERS
  return {
    status,
    headers: headers === undefined ? own : { ...own, ...headers },
    body: errorFrame(id, { code, message, ...(data !== undefined && { data }) }),
  }
}
