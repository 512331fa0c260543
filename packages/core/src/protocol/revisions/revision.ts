import type { McpError } from '../../errors.ts'
import type { JsonObject, JsonRpcErrorObject } from '../jsonrpc.ts'
import type { Tool } from '../types.ts'

/** The dated protocol versions that Jetway knows, oldest first. */
export type RevisionDate = '2024-11-05' | '2025-03-26' | '2025-06-18' | '2025-11-25' | '2026-07-28'

/** `legacy`: revisions with `initialize` and sessions. `modern`: revisions with metadata in every request. */
export type Era = 'legacy' | 'modern'

/** The objects of the neutral model whose members differ between revisions. */
export type Shape =
  | 'implementation'
  | 'icon'
  | 'capabilities'
  | 'tool'
  | 'toolAnnotations'
  | 'annotations'
  | 'resource'
  | 'resourceTemplate'
  | 'prompt'
  | 'promptArgument'
  | 'contents'
  | 'text'
  | 'image'
  | 'audio'
  | 'resource_link'
  | 'embedded'

/** The features that a revision supports in forms. */
interface FormRules {
  /** `full`: supports choices with titles, multiple choices, and defaults for every kind of field. */
  readonly fields: 'plain' | 'full'
  /** Whether the user can be asked to open a URL. */
  readonly url: boolean
}

/**
 * How long a client may cache a result, and for whom. See
 * https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching.
 */
export interface CacheHints {
  /** The lifetime in ms, a whole number; 0 if the result must not be cached. */
  readonly ttlMs: number
  /** `public`: the result is the same for every caller. */
  readonly cacheScope: 'public' | 'private'
}

/** The hints for a result that is not known to be cacheable. */
export const NOT_KEPT: CacheHints = { ttlMs: 0, cacheScope: 'private' }

/**
 * @param server - the server's info as JSON text
 * @param type - the result's `resultType`; `complete` if undefined
 */
export type Envelope = (
  method: string,
  json: string,
  server: string,
  hints?: CacheHints,
  type?: string,
) => string

/**
 * Everything that differs between protocol versions, in one object. Shared code reads properties of the
 * request's revision and never compares dates. The neutral model is a superset of all revisions, and
 * `project*` and `encodeResult` reduce its objects to this revision.
 */
export interface Revision {
  readonly version: RevisionDate
  readonly era: Era
  /** Requests that a client may send. */
  readonly methods: ReadonlySet<string>
  /** Notifications that a client may send. */
  readonly notifications: ReadonlySet<string>
  /** Requests that a server may send. */
  readonly serverRequests: ReadonlySet<string>
  /** Whether an HTTP body or a line may contain an array of messages. */
  readonly batching: boolean
  /** Whether clients repeat the negotiated version in `MCP-Protocol-Version`. */
  readonly versionHeader: boolean
  /** Whether an SSE stream starts with an event that has an id and empty data. */
  readonly primesStreams: boolean
  /** Whether progress notifications may have a message. */
  readonly progressMessage: boolean
  /** The features of forms in this revision; undefined if it has no forms. */
  readonly forms: FormRules | undefined
  /** Whether a question that opens a URL has an id, so that the client can be notified when the user is done. */
  readonly elicitationIds: boolean
  /** Whether sampling supports tools, and therefore messages with several blocks. */
  readonly samplingTools: boolean
  /**
   * How calls become tasks. `experimental`: the client requests it in a call. `extension`: the server decides, if the
   * client has declared the extension. Undefined if calls never run as tasks.
   */
  readonly tasks: 'experimental' | 'extension' | undefined
  /**
   * The requests that may return questions, each with its empty result. The client answers them by sending the request
   * again. Undefined if questions are sent to the client only as requests.
   */
  readonly rounds: ReadonlyMap<string, JsonObject> | undefined
  /** Whether a request is cancelled if its client disconnects. */
  readonly cancelOnDisconnect: boolean
  /** Whether clients repeat parameters in HTTP headers if a tool requests that. */
  readonly parameterHeaders: boolean
  /** Returns the members of an object that this revision defines. */
  project(shape: Shape, value: object): JsonObject
  projectTool(tool: Tool): JsonObject
  /** Returns the params of `sampling/createMessage` in this revision. */
  projectSampling(params: JsonObject): JsonObject
  /** Returns the result as JSON text. Throws the errors of `JSON.stringify`. */
  encodeResult(method: string, result: JsonObject): string
  /**
   * Adds the fields that all results share to the text of a complete result. Undefined if the revision has no
   * such fields.
   */
  readonly envelope: Envelope | undefined
  /** Returns the error with the code that this revision uses. */
  encodeError(error: McpError): JsonRpcErrorObject
  /** Returns the HTTP status of a response that contains this error. */
  httpStatus(error: McpError): number
}
