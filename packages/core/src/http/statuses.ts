import { ErrorCode } from '../errors.ts'
import { errorFrame, type RequestId } from '../protocol/jsonrpc.ts'
import type { HttpReply } from './types.ts'

/** One line of the table of statuses, from which `docs/reference/http.md` is made. */
export interface StatusRow {
  readonly status: number
  readonly when: string
  /** The JSON-RPC code of the body; rows without one have no JSON-RPC error. */
  readonly code?: number
  readonly message?: string
  /** The body, where it is plain text. */
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

/** Every status that a mount answers, in the order of the checks. */
export const STATUSES: Readonly<Record<StatusKey, StatusRow>> = {
  notHere: {
    status: 404,
    code: InvalidRequest,
    message: 'Not found',
    when: 'The address belongs to no door that is open',
  },
  wrongMethod: {
    status: 405,
    code: InvalidRequest,
    message: 'Method not allowed',
    when: 'Any other verb; GET and DELETE where there are no sessions; DELETE where the mount disallows it; all but GET on `/sse` and POST on `/message`',
  },
  forbiddenHost: {
    status: 403,
    code: InvalidRequest,
    message: 'This Host is not allowed: see the allowedHosts and publicUrl options of the mount',
    when: 'The Host header is not on the list, or is no loopback name on a loopback address',
  },
  forbiddenOrigin: {
    status: 403,
    code: InvalidRequest,
    message: 'This Origin is not allowed: see the allowedOrigins and publicUrl options of the mount',
    when: 'An Origin header is there and not on the list, or without a list no loopback origin',
  },
  options: { status: 204, when: 'OPTIONS; CORS belongs to the host application' },
  repeatedHeader: {
    status: 400,
    code: InvalidRequest,
    message: 'A header stands more than once',
    when: 'Authorization, Content-Type, Host, Origin, Last-Event-ID or an Mcp- header is repeated',
  },
  unsupportedMediaType: {
    status: 415,
    code: InvalidRequest,
    message: 'Content-Type must be application/json',
    when: 'A POST with another media type, or a charset other than UTF-8',
  },
  unsupportedMessageType: {
    status: 400,
    code: InvalidRequest,
    message: 'Content-Type must be application/json',
    when: 'The same on `/message`, whose clients know no 415',
  },
  notAcceptable: {
    status: 406,
    code: InvalidRequest,
    message: 'Accept must allow application/json and text/event-stream',
    when: 'A POST whose Accept header refuses one of the two; no Accept header accepts everything',
  },
  notAcceptableStream: {
    status: 406,
    code: InvalidRequest,
    message: 'Accept must allow text/event-stream',
    when: 'A GET whose Accept header refuses event streams',
  },
  malformedSessionId: {
    status: 400,
    code: InvalidRequest,
    message: 'Mcp-Session-Id must be 1 to 1024 visible ASCII characters',
    when: 'A session id that no server can have given out',
  },
  draining: {
    status: 503,
    code: InternalError,
    message: 'The server is shutting down',
    headers: RETRY,
    when: 'The mount is closing and takes no new work',
  },
  unauthorized: {
    status: 401,
    code: InvalidRequest,
    message: 'Authentication is required',
    when: 'The `authenticate` option found nobody, or the credentials have expired; with `WWW-Authenticate`',
  },
  missingSession: {
    status: 400,
    code: InvalidRequest,
    message: 'No session: send an initialize request first',
    when: 'A message other than `initialize`, or a GET or DELETE, outside a session',
  },
  unknownSession: {
    status: 404,
    code: InvalidRequest,
    message: 'Session not found: send an initialize request',
    when: "The session has ended or expired, never existed, or is another principal's",
  },
  noSessionId: {
    status: 400,
    text: 'sessionId query parameter is not provided',
    when: 'A POST to `/message` that names no session',
  },
  noConnection: {
    status: 404,
    text: 'Session not found',
    when: "A POST to `/message` whose event stream has ended, never existed, or is another principal's",
  },
  unsupportedVersion: {
    status: 400,
    code: InvalidRequest,
    message: 'Unsupported protocol version: this server speaks …',
    when: 'MCP-Protocol-Version names a revision that is not served here, on anything but `initialize`; -32022 where the metadata of the request names it too',
  },
  unreadableBody: {
    status: 400,
    code: ParseError,
    message: 'The body could not be read',
    when: 'The body ends early, or the host application could not parse it',
  },
  bodyTooLarge: {
    status: 413,
    code: InvalidRequest,
    message: 'The body is too large',
    when: 'The body is beyond `bodyLimit` (4 MiB by default)',
  },
  parseError: {
    status: 400,
    code: ParseError,
    message: 'The message is not valid JSON',
    when: 'The body is not UTF-8 or JSON, nested too deeply, too long in elements, or has repeated or forbidden keys',
  },
  invalidMessage: {
    status: 400,
    code: InvalidRequest,
    message: 'A message must be a JSON object',
    when: 'The body is JSON and no JSON-RPC message',
  },
  batch: {
    status: 400,
    code: InvalidRequest,
    message: 'Batches are not part of this protocol revision',
    when: 'The body is an array and the revision has no batches; or a batch is empty, beyond 100 messages, mixed, or holds `initialize`',
  },
  initializedAlready: {
    status: 400,
    code: InvalidRequest,
    message: 'The session is initialized already',
    when: '`initialize` inside a session',
  },
  badMetadata: {
    status: 400,
    code: ErrorCode.InvalidParams,
    message: '_meta["io.modelcontextprotocol/protocolVersion"] must be a string',
    when: 'A request that stands for itself lacks metadata, or it is malformed',
  },
  headerMismatch: {
    status: 400,
    code: ErrorCode.HeaderMismatch,
    message: 'The header … is missing or differs from the body',
    when: 'MCP-Protocol-Version, Mcp-Method, Mcp-Name or an Mcp-Param- header of such a request does not repeat what its body says',
  },
  noServer: {
    status: 404,
    code: InvalidRequest,
    message: 'There is no server for this request',
    when: 'The function that the mount was given for a server has chosen none',
  },
  initializeRefused: {
    status: 400,
    code: ErrorCode.InvalidParams,
    message: 'initialize needs params.protocolVersion, a string',
    when: '`initialize` with malformed parameters',
  },
  tooManySessions: {
    status: 503,
    code: InternalError,
    message: 'There are too many sessions, try again shortly',
    headers: RETRY,
    when: 'The limit on sessions is reached and none is idle',
  },
  busy: {
    status: 503,
    code: InternalError,
    message: 'The server is busy, try again shortly',
    headers: RETRY,
    when: 'The session has as many calls in flight as it may',
  },
  unknownEvent: {
    status: 400,
    code: InvalidRequest,
    message: 'Last-Event-ID names nothing that can be resumed',
    when: "The event is unknown, evicted or another session's, or its stream has ended and nothing is left to send",
  },
  unavailable: {
    status: 503,
    code: InternalError,
    message: 'The server cannot reach its sessions, try again shortly',
    headers: RETRY,
    when: 'A session or event store failed; the cause is in the log',
  },
  internal: {
    status: 500,
    code: InternalError,
    message: 'Internal error',
    when: '`authenticate`, `context`, the choice of a server or the lifespan failed; the cause is in the log',
  },
  answered: {
    status: 200,
    when: 'The answer to a request as JSON or as an event stream, JSON-RPC errors included',
  },
  accepted: { status: 202, when: 'A notification or a response was taken; the body is empty' },
  taken: {
    status: 202,
    text: 'Accepted',
    when: '`/message` has taken a message; the answer comes on the event stream',
  },
  ended: { status: 204, when: 'DELETE has ended the session' },
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

/** What a refusal may say beyond its row. */
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

/** The reply of a row. Without details it is the same object, and so the same bytes, every time. */
export function refuse(key: RefusalKey, details?: RefusalDetails): HttpReply {
  const ready = plain.get(key)
  return details === undefined && ready !== undefined ? ready : build(key, details ?? {})
}

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
