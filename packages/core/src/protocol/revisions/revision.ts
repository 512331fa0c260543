import type { McpError } from '../../errors.ts'
import type { JsonObject, JsonRpcErrorObject } from '../jsonrpc.ts'
import type { TaskInfo, Tool } from '../types.ts'

/** The dated protocol versions that Jetway knows, oldest first. */
export type RevisionDate = '2024-11-05' | '2025-03-26' | '2025-06-18' | '2025-11-25' | '2026-07-28'

/** `legacy`: `initialize` and sessions. `modern`: metadata on every request. */
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

/** The features of forms in a revision. */
interface FormRules {
  /** `full`: choices with titles, multiple choices, and defaults for every kind of field. */
  readonly fields: 'plain' | 'full'
  /** Whether the user can be asked to open a URL. */
  readonly url: boolean
}

/** How a revision represents tasks. */
export interface TaskDialect {
  /**
   * The extension with which a client declares support for tasks, so that the server decides which calls become
   * tasks; undefined if each call requests it.
   */
  readonly extension: string | undefined
  /** Whether a tool result with `isError` makes the task a failed one. */
  readonly failsOnToolErrors: boolean
  /** Creates the result that is returned instead of the call's own. */
  created(task: TaskInfo, meta: JsonObject | undefined): JsonObject
  /** Creates the representation of a task in all other messages. */
  shown(task: TaskInfo): JsonObject
}

/**
 * How long a client may cache a result, and for whom:
 * https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 */
export interface CacheHints {
  /** The lifetime in ms, a whole number; 0 if the result must not be cached. */
  readonly ttlMs: number
  /** `public`: the same for every caller. */
  readonly cacheScope: 'public' | 'private'
}

/** The hints for a result that is not known to be cacheable. */
export const NOT_KEPT: CacheHints = { ttlMs: 0, cacheScope: 'private' }

/**
 * How questions are returned as the result of a call, which the client answers by sending the request again.
 */
interface RoundTrips {
  /** The requests that may be answered in this way, each with its empty result. */
  readonly methods: ReadonlyMap<string, JsonObject>
  /** @param server - the server's info as JSON text */
  encode(requests: object, state: string, server: string): string
}

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
 * Everything that differs between protocol versions, in one object. Shared code reads properties of the request's
 * revision and never compares dates. The neutral model is the newest superset, and `project*` and `encodeResult`
 * reduce objects of this model to this revision.
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
  /** Whether a body or line may be an array of messages. */
  readonly batching: boolean
  /** Whether clients repeat the negotiated version in `MCP-Protocol-Version`. */
  readonly versionHeader: boolean
  /** Whether an SSE stream starts with an event that has an id and empty data. */
  readonly primesStreams: boolean
  /** Whether progress may have a message. */
  readonly progressMessage: boolean
  /** The features of forms for users; undefined if the revision has no forms. */
  readonly forms: FormRules | undefined
  /**
   * Whether a URL that the user is asked to open has an id, with which the client can be notified when the user
   * is done.
   */
  readonly elicitationIds: boolean
  /** Whether sampling may use tools, and therefore messages with several blocks. */
  readonly samplingTools: boolean
  /** Undefined if calls never run as tasks. */
  readonly tasks: TaskDialect | undefined
  /** Undefined if questions are sent to the client only as requests. */
  readonly rounds: RoundTrips | undefined
  /** Whether the request is cancelled if its client disconnects. */
  readonly cancelOnDisconnect: boolean
  /** Whether clients repeat the parameters that a tool requests in HTTP headers. */
  readonly parameterHeaders: boolean
  /** Returns the members of an object that this revision defines. */
  project(shape: Shape, value: object): JsonObject
  projectTool(tool: Tool): JsonObject
  /** Returns the params of `sampling/createMessage` in this revision. */
  projectSampling(params: JsonObject): JsonObject
  /** Returns the result as JSON text. Throws whatever `JSON.stringify` throws. */
  encodeResult(method: string, result: JsonObject): string
  /** Adds the fields that all results have to a complete result's text. Undefined if the revision has none. */
  readonly envelope: Envelope | undefined
  /** Returns the error with the code of this revision. */
  encodeError(error: McpError): JsonRpcErrorObject
  /** The HTTP status of a response that carries this error. */
  httpStatus(error: McpError): number
}
