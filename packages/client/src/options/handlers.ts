import type {
  FormSchema,
  Implementation,
  JsonObject,
  OptionNames,
  Role,
  SamplingContent,
} from '@jetway/core/protocol'

type Awaitable<T> = T | Promise<T>

/** A form for the user to fill in. */
export interface ElicitRequest {
  /** Markdown from the server's author. Show the user which server is asking. */
  readonly message: string
  /** A flat object of strings, numbers, booleans and choices. */
  readonly requestedSchema: FormSchema
  readonly _meta?: JsonObject
}

/**
 * A URL for the user to open. Show the full URL, and open it in a separate browser after the user has agreed.
 */
export interface ElicitUrlRequest {
  readonly message: string
  /** An `https:` or `http:` URL. Requests with other schemes never reach a handler. */
  readonly url: string
  /** The id of the later `elicitationComplete` event, in revisions that have this notification. */
  readonly elicitationId?: string
  readonly _meta?: JsonObject
}

/** The user's answer to a form. */
export interface ElicitResult {
  readonly action: 'accept' | 'decline' | 'cancel'
  /**
   * The content; only for `accept`. Strings are converted to the type of their field, and missing fields
   * receive their default.
   */
  readonly content?: JsonObject
}

/**
 * The user's answer to a URL. `accept` means that the user has agreed to open it, but may not have finished
 * there.
 */
export interface ElicitUrlResult {
  readonly action: ElicitResult['action']
  /**
   * Whether the user has confirmed that they have finished. If so, a call that is waiting for the URL continues
   * immediately, without waiting for the server's notification. Some servers never send that notification.
   */
  readonly done?: boolean
}

/** https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#creating-messages */
export interface SampleRequest {
  readonly messages: readonly {
    readonly role: Role
    readonly content: SamplingContent | readonly SamplingContent[]
  }[]
  readonly maxTokens: number
  readonly systemPrompt?: string
  readonly temperature?: number
  readonly stopSequences?: readonly string[]
  readonly modelPreferences?: JsonObject
  readonly includeContext?: string
  readonly metadata?: JsonObject
  readonly tools?: readonly JsonObject[]
  readonly toolChoice?: JsonObject
  readonly _meta?: JsonObject
}

/** The response from the host's model. */
export interface SampleResult {
  readonly role: Role
  readonly content: SamplingContent | readonly SamplingContent[]
  readonly model: string
  readonly stopReason?: string
}

/** A folder or file in which a server may work. */
export interface Root {
  /** The `file:` URL of the folder or file. */
  readonly uri: string
  readonly name?: string
}

/** The context of a request from the server, as passed to handlers. */
export interface HandlerContext {
  /** The client's `name` option. */
  readonly name: string | undefined
  /** The server's name and version, for display only. */
  readonly server: Implementation | undefined
  /** A signal that aborts when the server or the caller gives up, and after `handlerTimeoutMs`. */
  readonly signal: AbortSignal
}

/**
 * Handlers for the server's requests. Only capabilities with a handler are declared. Forms are cancelled if
 * there is no handler for them.
 */
export interface ClientHandlers {
  /** Shows a form to the user. */
  readonly elicit?: (request: ElicitRequest, ctx: HandlerContext) => Awaitable<ElicitResult>
  /** Asks the user to open a URL. */
  readonly elicitUrl?: (request: ElicitUrlRequest, ctx: HandlerContext) => Awaitable<ElicitUrlResult>
  /** Runs the host's model. Ask the user first. If the user refuses, throw an `McpError` with code -1. */
  readonly sample?: (request: SampleRequest, ctx: HandlerContext) => Awaitable<SampleResult>
  /** The folders and files in which the server may work. See `Client.rootsChanged`. */
  readonly roots?: readonly Root[] | ((ctx: HandlerContext) => Awaitable<readonly Root[]>)
  /**
   * Handlers, by method, for requests that the protocol does not define. Used in revisions where servers may
   * send requests. If a handler throws an `McpError`, it is sent to the server.
   */
  readonly requests?: Readonly<
    Record<string, (params: JsonObject, ctx: HandlerContext) => Awaitable<JsonObject>>
  >
}

/** The names of the handlers, for checking options. */
export const HANDLERS: OptionNames<ClientHandlers> = {
  elicit: 1,
  elicitUrl: 1,
  sample: 1,
  roots: 1,
  requests: 1,
}
