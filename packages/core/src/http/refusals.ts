import { ErrorCode } from '../errors.ts'
import { errorFrame, type RequestId } from '../protocol/jsonrpc.ts'
import type { Selection } from '../protocol/revisions/select.ts'
import type { HttpReply } from './types.ts'

/** One row of the table of statuses in `docs/reference/http.md`, which adds when each is used. */
export interface StatusRow {
  readonly status: number
  /** The JSON-RPC code of the body; undefined without a JSON-RPC error. */
  readonly code?: number
  readonly message?: string
  /** The body, if it is plain text. */
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
}

const { InvalidRequest, ParseError, InternalError } = ErrorCode
const RETRY: Readonly<Record<string, string>> = { 'retry-after': '1' }

/** The rows that refuse a request. */
export type RefusalKey =
  | 'notHere'
  | 'wrongMethod'
  | 'forbiddenHost'
  | 'forbiddenOrigin'
  | 'repeatedHeader'
  | 'unsupportedMediaType'
  | 'unsupportedMessageType'
  | 'notAcceptable'
  | 'notAcceptableStream'
  | 'malformedSessionId'
  | 'draining'
  | 'unauthorized'
  | 'missingSession'
  | 'unknownSession'
  | 'noSessionId'
  | 'noConnection'
  | 'noServer'
  | 'unsupportedVersion'
  | 'badMetadata'
  | 'headerMismatch'
  | 'unreadableBody'
  | 'bodyTooLarge'
  | 'parseError'
  | 'invalidMessage'
  | 'batch'
  | 'initializedAlready'
  | 'initializeRefused'
  | 'tooManySessions'
  | 'busy'
  | 'unknownEvent'
  | 'unavailable'
  | 'internal'
export type StatusKey = RefusalKey | 'options' | 'answered' | 'accepted' | 'taken' | 'ended'

/** All statuses of a mount, in the order of the checks. */
export const STATUSES: Readonly<Record<StatusKey, StatusRow>> = {
  notHere: {
    status: 404,
    code: InvalidRequest,
    message: 'Not found',
  },
  wrongMethod: {
    status: 405,
    code: InvalidRequest,
    message: 'Method not allowed',
  },
  forbiddenHost: {
    status: 403,
    code: InvalidRequest,
    message: 'This Host is not allowed: see the allowedHosts and publicUrl options of the mount',
  },
  forbiddenOrigin: {
    status: 403,
    code: InvalidRequest,
    message: 'This Origin is not allowed: see the allowedOrigins and publicUrl options of the mount',
  },
  options: { status: 204 },
  repeatedHeader: {
    status: 400,
    code: InvalidRequest,
    message: 'A header is repeated that must not be',
  },
  unsupportedMediaType: {
    status: 415,
    code: InvalidRequest,
    message: 'Content-Type must be application/json',
  },
  unsupportedMessageType: {
    status: 400,
    code: InvalidRequest,
    message: 'Content-Type must be application/json',
  },
  notAcceptable: {
    status: 406,
    code: InvalidRequest,
    message: 'Accept must allow application/json and text/event-stream',
  },
  notAcceptableStream: {
    status: 406,
    code: InvalidRequest,
    message: 'Accept must allow text/event-stream',
  },
  malformedSessionId: {
    status: 400,
    code: InvalidRequest,
    message: 'Mcp-Session-Id must be 1 to 1024 visible ASCII characters',
  },
  draining: {
    status: 503,
    code: InternalError,
    message: 'The server is shutting down',
    headers: RETRY,
  },
  unauthorized: {
    status: 401,
    code: InvalidRequest,
    message: 'Authentication is required',
  },
  missingSession: {
    status: 400,
    code: InvalidRequest,
    message: 'No session: send an initialize request first',
  },
  unknownSession: {
    status: 404,
    code: InvalidRequest,
    message: 'Session not found: send an initialize request',
  },
  noSessionId: {
    status: 400,
    text: 'sessionId query parameter is not provided',
  },
  noConnection: {
    status: 404,
    text: 'Session not found',
  },
  unsupportedVersion: {
    status: 400,
    code: InvalidRequest,
    message: 'Unsupported protocol version: this server speaks …',
  },
  unreadableBody: {
    status: 400,
    code: ParseError,
    message: 'The body could not be read',
  },
  bodyTooLarge: {
    status: 413,
    code: InvalidRequest,
    message: 'The body is too large',
  },
  parseError: {
    status: 400,
    code: ParseError,
    message: 'The message is not valid JSON',
  },
  invalidMessage: {
    status: 400,
    code: InvalidRequest,
    message: 'A message must be a JSON object',
  },
  batch: {
    status: 400,
    code: InvalidRequest,
    message: 'Batches are not part of this protocol revision',
  },
  initializedAlready: {
    status: 400,
    code: InvalidRequest,
    message: 'The session is initialized already',
  },
  badMetadata: {
    status: 400,
    code: ErrorCode.InvalidParams,
    message: '_meta["io.modelcontextprotocol/protocolVersion"] must be a string',
  },
  headerMismatch: {
    status: 400,
    code: ErrorCode.HeaderMismatch,
    message: 'The header … is missing or differs from the body',
  },
  noServer: {
    status: 404,
    code: InvalidRequest,
    message: 'There is no server for this request',
  },
  initializeRefused: {
    status: 400,
    code: ErrorCode.InvalidParams,
    message: 'initialize needs params.protocolVersion, a string',
  },
  tooManySessions: {
    status: 503,
    code: InternalError,
    message: 'There are too many sessions, try again shortly',
    headers: RETRY,
  },
  busy: {
    status: 503,
    code: InternalError,
    message: 'The server is busy, try again shortly',
    headers: RETRY,
  },
  unknownEvent: {
    status: 400,
    code: InvalidRequest,
    message: 'Last-Event-ID names nothing that can be resumed',
  },
  unavailable: {
    status: 503,
    code: InternalError,
    message: 'The server cannot reach its sessions, try again shortly',
    headers: RETRY,
  },
  internal: {
    status: 500,
    code: InternalError,
    message: 'Internal error',
  },
  answered: {
    status: 200,
  },
  accepted: { status: 202 },
  taken: {
    status: 202,
    text: 'Accepted',
  },
  ended: { status: 204 },
}

export const JSON_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'content-type': 'application/json',
})
const TEXT_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  'content-type': 'text/plain; charset=utf-8',
})
const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({})

export const ACCEPTED: HttpReply = Object.freeze({ status: STATUSES.accepted.status, headers: NO_HEADERS })
export const TAKEN: HttpReply = Object.freeze({
  status: STATUSES.taken.status,
  headers: TEXT_HEADERS,
  body: STATUSES.taken.text ?? '',
})
export const ENDED: HttpReply = Object.freeze({ status: STATUSES.ended.status, headers: NO_HEADERS })

/** The details of a refusal that its row does not have. */
export interface RefusalDetails {
  readonly id?: RequestId | undefined
  readonly message?: string | undefined
  readonly code?: number | undefined
  readonly data?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly status?: number | undefined
}

function headersOf({ text, headers }: StatusRow): Readonly<Record<string, string>> {
  const type = text === undefined ? JSON_HEADERS : TEXT_HEADERS
  return headers === undefined ? type : Object.freeze({ ...type, ...headers })
}

const entries = Object.entries(STATUSES) as [StatusKey, StatusRow][]
const reasons = new WeakMap<HttpReply, StatusKey>()
const plain = new Map<StatusKey, HttpReply>(entries.map(([key]) => [key, build(key, {})]))

/** The reply of a row. Without details it is always the same object, with the same bytes. */
export function refuse(key: RefusalKey, details?: RefusalDetails): HttpReply {
  const ready = plain.get(key)
  return details === undefined && ready !== undefined ? ready : build(key, details ?? {})
}

/** The reply where no revision is served that the client accepts. */
export const refuseRevision = (
  { error, reason }: Extract<Selection, { readonly kind: 'refuse' }>,
  id: RequestId | undefined,
): HttpReply => refuse(reason, { id, message: error.message, code: error.code })

/** The row that a reply was refused by; undefined for an answer. */
export const reasonOf = (reply: HttpReply): StatusKey | undefined => reasons.get(reply)

function build(key: StatusKey, { id, message, code, data, headers, status }: RefusalDetails): HttpReply {
  const row = STATUSES[key]
  const own = headersOf(row)
  const error = {
    code: code ?? row.code ?? InternalError,
    message: message ?? row.message ?? '',
    ...(data !== undefined && { data }),
  }
  const reply: HttpReply = Object.freeze({
    status: status ?? row.status,
    headers: headers === undefined ? own : { ...own, ...headers },
    body: row.text ?? errorFrame(id, error),
  })
  reasons.set(reply, key)
  return reply
}
