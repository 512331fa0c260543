import type { StatusKey } from '../../src/http/refusals.ts'

/**
 * Explains when a mount sends each status, for `docs/reference/http.md`. These texts are separate from the
 * table of refusals, because every server loads that table.
 */
export const WHEN: Readonly<Record<StatusKey, string>> = {
  notHere: 'The path is not served by this mount',
  wrongMethod:
    'A method other than GET, POST and DELETE; GET and DELETE without sessions; DELETE with `allowDelete: false`; methods other than GET on `/sse` and POST on `/message`',
  forbiddenHost:
    'The Host header is not in `allowedHosts`. Without that list: the address is a loopback address and the Host is not a loopback name',
  forbiddenOrigin:
    'The Origin header is not in `allowedOrigins`. Without that list: it is not a loopback origin',
  options: 'OPTIONS. CORS is up to the host application',
  repeatedHeader:
    'Authorization, Content-Type, Host, Origin, Last-Event-ID or an Mcp- header is repeated, or Host differs from :authority',
  unsupportedMediaType: 'A POST with another media type or with a charset other than UTF-8',
  unsupportedMessageType: 'The same on `/message`, because its clients do not know 415',
  notAcceptable:
    'The Accept header of a POST excludes one of the two types. No Accept header accepts every type',
  notAcceptableStream: 'The Accept header of a GET excludes event streams',
  pipelined:
    'A GET, or `subscriptions/listen`, is pipelined behind a request whose reply is not complete. The reply is sent in order',
  malformedSessionId: 'The session id is not valid',
  draining: 'The mount is closing',
  unauthorized:
    '`authenticate` returned no principal, or the credentials have expired. The reply has `WWW-Authenticate`',
  authorizationUnavailable: '`authenticate` cannot reach its authorization server',
  missingSession: 'A message other than `initialize`, a GET or a DELETE has no session id',
  unknownSession: 'The session has ended, has expired, never existed or belongs to another principal',
  noSessionId: 'A POST to `/message` has no session id',
  noConnection:
    'The event stream of a POST to `/message` has ended, never existed or belongs to another principal',
  unsupportedVersion:
    'MCP-Protocol-Version is a revision that the mount does not serve, and the message is not `initialize`. If the metadata of the request has the same version, the code is -32022',
  unreadableBody: 'The body ends early, or the host application could not parse it',
  encodedBody:
    'The body has a Content-Encoding other than `identity`, and no middleware has decompressed it. On Node.js; other runtimes answer 400. The reply has `Accept-Encoding: identity`',
  bodyTimeout:
    'The body was not complete within `limits.bodyTimeoutMs` (30 s by default). The connection ends',
  tooManyBodies:
    'The principal’s bodies that the mount reads at the same time exceed 32 times `limits.bodyBytes`. Or the body made room: those of anonymous clients together exceed 32 times, or those of all callers 64 times, and the largest caller loses its oldest. The connection ends',
  bodyTooLarge: 'The body is larger than `limits.bodyBytes` (4 MiB by default)',
  parseError:
    'The body is not UTF-8 or not JSON, is nested too deeply, has too many elements, or has repeated or forbidden keys',
  unreadReplies:
    'The replies that wait for the principal’s clients exceed half of `limits.queuedBytes`. Pings, notifications and responses are still accepted',
  invalidMessage: 'The body is JSON, but not a JSON-RPC message',
  batch:
    'The body is an array and the revision has no batches. Or the batch is empty, has more than 100 messages, mixes requests with responses, or contains `initialize`',
  initializedAlready: '`initialize` is sent with a session id',
  badMetadata: 'The metadata of a request of 2026-07-28 is missing or malformed',
  headerMismatch:
    'MCP-Protocol-Version, Mcp-Method, Mcp-Name or an Mcp-Param- header of a request of 2026-07-28 does not match its body',
  noServer: 'The function that chooses the server returned none',
  insufficientScope:
    'The caller lacks scopes of the mount or of the operation. The reply has `WWW-Authenticate` with them',
  initializeRefused: 'The parameters of `initialize` are malformed',
  tooManySessions: 'The limit on sessions is reached and no session is idle',
  busy: 'The session has reached its limit of calls in flight',
  unknownEvent:
    'The event is unknown, is no longer kept or belongs to another session. Or its stream has ended and there is nothing left to send',
  unavailable: 'A session store or event store failed. The log has the cause',
  callEnded: 'A close at its deadline, or the end of the session, ended the call before it had sent anything',
  internal:
    '`authenticate`, `locals`, the function that chooses the server or the `lifespan` failed. The log has the cause',
  answered: 'The response to a request, as JSON or as an event stream. JSON-RPC errors too',
  accepted: 'A notification or a response was accepted. The body is empty',
  unmatchedResponse:
    'A response was ignored: this process has not sent its request in this session. The client may have got the request before a restart, or from another process',
  taken: '`/message` accepted a message. The response follows on the event stream',
  ended: 'DELETE ended the session',
}
