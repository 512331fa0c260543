import { isObject, type JsonObject, type JsonRpcRequest, type RequestId } from '../protocol/jsonrpc.ts'
import type { TraceContext } from '../protocol/trace-context.ts'
import type { AuthInfo } from '../stores/principal.ts'
import type { AnySchema, RefuseShape } from '../schema/types.ts'
import type { Inputs } from './input/inputs.ts'
import type {
  Declined,
  Elicited,
  ElicitOptions,
  InferForm,
  Root,
  Sampled,
  SampleParams,
  UrlOf,
} from './input/question.ts'
import type { LogSender } from './log.ts'
import type { ClientCapabilities, Implementation } from '../protocol/types.ts'

/** The part of a session that handlers can see. */
export interface SessionView {
  readonly id: string
}

/** The task as which a call runs. */
export interface TaskView {
  readonly id: string
}

/**
 * The compiler shows this name if a handler reads `answers`, but `asks` is missing or is declared after the
 * handler.
 */
export interface NoAsksAboveHandler {}

/** The second argument of every handler. It is valid for a single call only, so do not store it. */
export interface RequestContext<App = unknown, Locals = unknown, Answers = {}> {
  /** Aborts when the call is cancelled or times out. */
  readonly signal: AbortSignal
  /** The request's id, chosen by the client. It is not unique: some clients send the same id every time. */
  readonly requestId: RequestId
  /** The request as the client sent it. */
  readonly message: JsonRpcRequest
  /** The negotiated protocol revision. */
  readonly protocolVersion: string
  /**
   * The client's self-description: `info`, `capabilities`, `supports(name)` and `extension(id)`. It is not
   * authenticated.
   */
  readonly client: ClientView
  /** Undefined if the connection has no sessions. */
  readonly session: SessionView | undefined
  /** The authenticated caller; its `principal` is the stable identity. Undefined for an anonymous caller. */
  readonly auth: AuthInfo | undefined
  /**
   * Set if the call runs as a task. In that case, the client already has a response, and fetches the result
   * later.
   */
  readonly task: TaskView | undefined
  /** The value that the server's `lifespan` returned. */
  readonly app: App
  /** The value that the mount's `locals` option returned for this request. */
  readonly locals: Locals
  /** The URI of the resource being read; an empty string for other methods. */
  readonly uri: string
  /** Sends log messages to the client: `ctx.log.info(data, logger?)`, and likewise for each other level. */
  readonly log: LogSender
  /** The trace context in the request's `_meta`; undefined if it is missing or invalid. */
  readonly trace: TraceContext | undefined
  /** The answers to a tool's `asks`. */
  readonly answers: [keyof Answers] extends [never] ? NoAsksAboveHandler : Answers
  /** The answers to `inputRequired`. */
  readonly inputs: Inputs
  /**
   * Reports progress if the client requested it. Values must be finite and increase; other values are dropped.
   * If the handler reports nothing for the server's `progressHeartbeat`, Jetway sends the last value plus one
   * millionth. In a task, the message also becomes the status message. The promise resolves when the client can
   * accept more, and never rejects. An argument of the wrong type is logged once per call.
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress
   */
  progress(progress: number, total?: number, message?: string): Promise<void>
  /**
   * Registers work that continues after the response. When the mount closes, it waits for this work until its
   * deadline. A platform that stops between requests is asked to keep running. A rejection is logged. The
   * call's signal and time limits do not apply to this work.
   */
  waitUntil(work: Promise<unknown>): void
  /**
   * Closes the connection that carries the reply, so that no socket stays open while the call continues. The
   * client waits for `retryMs` (by default the mount's value), reconnects with `Last-Event-ID` and receives the
   * missed events, within the limits of the event store. The method can be called again after the client has
   * reconnected.
   *
   * Does nothing if the client cannot reconnect: on transports other than Streamable HTTP, without sessions,
   * with `streams.eventStore: false` or `response: 'json'`, and in revisions whose streams do not start with an
   * event id.
   *
   * @see
   * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
   * @throws UsageError `ERR_MCP_OPTION` if `retryMs` is not a whole number from 0 to 2147483647
   */
  closeConnection(options?: { readonly retryMs?: number }): void
  /**
   * Asks the user a question while the handler is running: see `elicit`. Works only on connections that can
   * carry requests to the client during a call. `asks` and `inputRequired` work on all connections.
   *
   * @throws UsageError `ERR_MCP_UNSUPPORTED_HERE`; QuestionError if there is no valid answer; McpError if the
   * client has not declared the capability
   */
  elicit<const S extends AnySchema, D extends Declined = 'fail'>(
    message: string,
    schema: S & RefuseShape<S>,
    options?: ElicitOptions<D>,
  ): Promise<Elicited<InferForm<S>, D>>
  /** Asks the user to open a URL: see `elicitUrl`. The rules for {@link elicit} apply. */
  elicitUrl<D extends Declined = 'fail'>(
    message: string,
    url: UrlOf,
    options?: ElicitOptions<D>,
  ): Promise<Elicited<undefined, D>>
  /** Sends a prompt to the client's model: see `sample`. The rules for {@link elicit} apply. */
  sample(params: SampleParams): Promise<Sampled>
  /** Requests the client's roots: see `listRoots`. The rules for {@link elicit} apply. */
  listRoots(): Promise<readonly Root[]>
  /**
   * Sends the client a request that an extension or an experimental feature defines. The request is sent
   * unchanged, and its result is returned without validation. First check in `ctx.client` whether the client
   * supports the method. It works on the same connections and within the same time limits as {@link elicit}.
   *
   * @throws UsageError `ERR_MCP_UNSUPPORTED_HERE`; QuestionError if there is no result
   */
  request(
    method: string,
    params?: Readonly<Record<string, unknown>>,
  ): Promise<Readonly<Record<string, unknown>>>
}

/** The client's description of itself. None of it is authenticated. */
export class ClientView {
  readonly info: Implementation | undefined
  readonly capabilities: ClientCapabilities

  constructor(info: Implementation | undefined, capabilities: ClientCapabilities) {
    this.info = info
    this.capabilities = capabilities
  }

  /** Whether the client declared a capability, for example `elicitation` or `sampling.tools`. */
  supports(capability: string): boolean {
    let at: unknown = this.capabilities
    for (const key of capability.split('.')) {
      if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return false
      at = (at as Record<string, unknown>)[key]
    }
    return at !== undefined && at !== null && at !== false
  }

  /**
   * Returns the settings of an extension that the client declared, or undefined if the client did not declare
   * the extension and therefore does not understand it.
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#extension-negotiation
   */
  extension(id: string): JsonObject | undefined {
    const { extensions } = this.capabilities
    if (!isObject(extensions) || !Object.hasOwn(extensions, id)) return undefined
    const settings = extensions[id]
    return isObject(settings) ? settings : undefined
  }
}
