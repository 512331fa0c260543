import type { StatusKey } from '../../src/http/refusals.ts'

/** When a mount answers each of its statuses, for `docs/reference/http.md`. Here and not in the table, which every server carries. */
export const WHEN: Readonly<Record<StatusKey, string>> = {
  notHere: 'The address belongs to no route that is open',
  wrongMethod:
    'Any other verb; GET and DELETE where there are no sessions; DELETE where the mount disallows it; all but GET on `/sse` and POST on `/message`',
  forbiddenHost: 'The Host header is not on the list, or is no loopback name on a loopback address',
  forbiddenOrigin: 'An Origin header is there and not on the list, or without a list no loopback origin',
  options: 'OPTIONS; CORS belongs to the host application',
  repeatedHeader: 'Authorization, Content-Type, Host, Origin, Last-Event-ID or an Mcp- header is repeated',
  unsupportedMediaType: 'A POST with another media type, or a charset other than UTF-8',
  unsupportedMessageType: 'The same on `/message`, whose clients know no 415',
  notAcceptable: 'A POST whose Accept header refuses one of the two; no Accept header accepts everything',
  notAcceptableStream: 'A GET whose Accept header refuses event streams',
  malformedSessionId: 'A session id that no server can have given out',
  draining: 'The mount is closing and takes no new work',
  unauthorized:
    'The `authenticate` option found nobody, or the credentials have expired; with `WWW-Authenticate`',
  missingSession: 'A message other than `initialize`, or a GET or DELETE, outside a session',
  unknownSession: "The session has ended or expired, never existed, or is another principal's",
  noSessionId: 'A POST to `/message` that names no session',
  noConnection: "A POST to `/message` whose event stream has ended, never existed, or is another principal's",
  unsupportedVersion:
    'MCP-Protocol-Version names a revision that is not served here, on anything but `initialize`; -32022 where the metadata of the request names it too',
  unreadableBody: 'The body ends early, or the host application could not parse it',
  bodyTooLarge: 'The body is beyond `bodyLimit` (4 MiB by default)',
  parseError:
    'The body is not UTF-8 or JSON, nested too deeply, too long in elements, or has repeated or forbidden keys',
  invalidMessage: 'The body is JSON and no JSON-RPC message',
  batch:
    'The body is an array and the revision has no batches; or a batch is empty, beyond 100 messages, mixed, or holds `initialize`',
  initializedAlready: '`initialize` inside a session',
  badMetadata: 'A request that stands for itself lacks metadata, or it is malformed',
  headerMismatch:
    'MCP-Protocol-Version, Mcp-Method, Mcp-Name or an Mcp-Param- header of such a request does not repeat what its body says',
  noServer: 'The function that the mount was given for a server has chosen none',
  initializeRefused: '`initialize` with malformed parameters',
  tooManySessions: 'The limit on sessions is reached and none is idle',
  busy: 'The session has as many calls in flight as it may',
  unknownEvent:
    "The event is unknown, evicted or another session's, or its stream has ended and nothing is left to send",
  unavailable: 'A session or event store failed; the cause is in the log',
  internal:
    '`authenticate`, `locals`, the choice of a server or the lifespan failed; the cause is in the log',
  answered: 'The answer to a request as JSON or as an event stream, JSON-RPC errors included',
  accepted: 'A notification or a response was taken; the body is empty',
  taken: '`/message` has taken a message; the answer comes on the event stream',
  ended: 'DELETE has ended the session',
}
