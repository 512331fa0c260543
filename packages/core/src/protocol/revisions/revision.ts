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

/** The features of a revision's forms. */
interface FormRules {
  /** Choices with titles, several choices at once, and defaults for every kind of field. */
  readonly fields: 'plain' | 'full'
  /** Whether a person can be sent to an address. */
  readonly url: boolean
}

/** How a revision speaks of tasks. */
export interface TaskDialect {
  /**
   * The extension by which a client says that it knows tasks, and which calls become tasks is for the server
   * to say; undefined where each call asks by itself.
   */
  readonly extension: string | undefined
  /** Whether a tool's own failure, a result with `isError`, makes the task a failed one. */
  readonly failsOnToolErrors: boolean
  /** The result that takes the place of the call's own. */
  created(task: TaskInfo, meta: JsonObject | undefined): JsonObject
  /** A task wherever it is shown by itself. */
  shown(task: TaskInfo): JsonObject
}

/**
 * How long a client may keep a result, and for whom:
 * https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 */
export interface CacheHints {
  /** In ms, a whole number; 0 for a result that is not to be kept. */
  readonly ttlMs: number
  /** `public`: the same for everybody. */
  readonly cacheScope: 'public' | 'private'
}

/** The hints of a result of which nothing is known. */
export const NOT_KEPT: CacheHints = { ttlMs: 0, cacheScope: 'private' }

/** How a call's questions are its result, which the client answers by sending the request again. */
interface RoundTrips {
  /** The requests that may be answered in this way, each with an empty result. */
  readonly methods: ReadonlyMap<string, JsonObject>
  /** @param server the server's facts as JSON text */
  encode(requests: object, state: string, server: string): string
}

/**
 * @param server the server's facts as JSON text
 * @param type the result's kind, `complete` where undefined
 */
export type Envelope = (
  method: string,
  json: string,
  server: string,
  hints?: CacheHints,
  type?: string,
) => string

/**
 * Everything that differs between protocol versions, as questions to one object.
 * Shared code asks a property of the request's revision; it never compares dates.
 * The neutral model is the newest superset, and `project*` and `encodeResult` bring it down
 * to what this revision can say.
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
  /** Whether an SSE stream starts with an event of an id and empty data. */
  readonly primesStreams: boolean
  /** Whether progress may carry a message. */
  readonly progressMessage: boolean
  /** How forms look that a person fills in; undefined where there are none. */
  readonly forms: FormRules | undefined
  /**
   * Whether an address that a person is sent to has an id, by which the client can be
   * notified that they are done.
   */
  readonly elicitationIds: boolean
  /** Whether sampling may use tools, and so have several blocks in a message. */
  readonly samplingTools: boolean
  /** Undefined where calls never run as tasks. */
  readonly tasks: TaskDialect | undefined
  /** Undefined where questions go to the client as requests only. */
  readonly rounds: RoundTrips | undefined
  /** Whether a client that goes away has cancelled its request. */
  readonly cancelOnDisconnect: boolean
  /** Whether clients repeat in headers of HTTP the parameters that a tool wants to see there. */
  readonly parameterHeaders: boolean
  /** The members of an object that this revision defines. */
  project(shape: Shape, value: object): JsonObject
  projectTool(tool: Tool): JsonObject
  /** Params of `sampling/createMessage`. */
  projectSampling(params: JsonObject): JsonObject
  /** The result as JSON text. Throws what `JSON.stringify` throws. */
  encodeResult(method: string, result: JsonObject): string
  /**
   * Puts around the text of a complete result what every result has; undefined where there is no such thing.
   */
  readonly envelope: Envelope | undefined
  /** The error as this revision spells it. */
  encodeError(error: McpError): JsonRpcErrorObject
  /** The HTTP status of a response that carries this error. */
  httpStatus(error: McpError): number
}
