import type { JsonObject } from './jsonrpc.ts'

/**
 * Vendor and protocol metadata. For the format of the keys, see
 * https://modelcontextprotocol.io/specification/2025-11-25/basic#_meta.
 */
export type Meta = JsonObject

/** An image for people. Only `https:` and `data:` sources are accepted. */
export interface Icon {
  readonly src: string
  readonly mimeType?: string | undefined
  /** The size, such as `48x48`, or `any` for vector images. */
  readonly sizes?: readonly string[] | undefined
  readonly theme?: 'light' | 'dark' | undefined
}

/** The name and version of a server or client. For display only: do not base decisions on it. */
export interface Implementation {
  readonly name: string
  readonly version: string
  readonly title?: string
  readonly description?: string
  readonly websiteUrl?: string
  readonly icons?: readonly Icon[]
}

/** The sender of a message in a conversation with a model. */
export type Role = 'user' | 'assistant'

/** The audience, importance and age of content, as hints for the client. */
export interface Annotations {
  readonly audience?: readonly Role[] | undefined
  /** From 0 (optional) to 1 (required). */
  readonly priority?: number | undefined
  /** An ISO 8601 time. */
  readonly lastModified?: string | undefined
}

/**
 * Hints about a tool. A client must not rely on them. See
 * https://modelcontextprotocol.io/specification/2025-11-25/server/tools.
 */
export interface ToolAnnotations {
  /** The tool's display name. */
  readonly title?: string
  /** Whether the tool has no effects. @default false */
  readonly readOnlyHint?: boolean
  /** Whether the tool may overwrite or delete data. @default true */
  readonly destructiveHint?: boolean
  /** Whether a repeated call with the same arguments has no further effect. @default false */
  readonly idempotentHint?: boolean
  /** Whether the tool accesses anything outside the server, such as the web. @default true */
  readonly openWorldHint?: boolean
}

interface Described {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly icons?: readonly Icon[] | undefined
  readonly _meta?: Meta | undefined
}

/** A tool in `tools/list`. */
export interface Tool extends Described {
  readonly inputSchema: JsonObject
  readonly outputSchema?: JsonObject
  readonly annotations?: ToolAnnotations
  readonly execution?: { readonly taskSupport?: TaskSupport }
}

/** A resource in `resources/list`. */
export interface Resource extends Described {
  readonly uri: string
  readonly mimeType?: string | undefined
  /** The size of the raw content before base64 encoding, in bytes. */
  readonly size?: number | undefined
  readonly annotations?: Annotations | undefined
}

/** Resources whose URIs match an RFC 6570 URI template, in `resources/templates/list`. */
export interface ResourceTemplate extends Described {
  /** An RFC 6570 URI template. */
  readonly uriTemplate: string
  /** The media type, if all matching resources have the same one. */
  readonly mimeType?: string
  readonly annotations?: Annotations
}

/** A prompt argument, which is always a string. */
export interface PromptArgument {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly required?: boolean
}

/** A prompt in `prompts/list`. */
export interface Prompt extends Described {
  readonly arguments?: readonly PromptArgument[]
}

interface Block {
  readonly annotations?: Annotations | undefined
  readonly _meta?: Meta | undefined
}

/** Text for a person or a model. */
export interface TextContent extends Block {
  readonly type: 'text'
  readonly text: string
}

/** An image in base64. */
export interface ImageContent extends Block {
  readonly type: 'image'
  /** The bytes in base64. */
  readonly data: string
  readonly mimeType: string
}

/** A sound in base64. */
export interface AudioContent extends Block {
  readonly type: 'audio'
  /** The bytes in base64. */
  readonly data: string
  readonly mimeType: string
}

/** A link to a resource that can be read. Not every linked resource is in `resources/list`. */
export interface ResourceLink extends Resource {
  readonly type: 'resource_link'
}

/** The content of a resource inside a result. */
export interface EmbeddedResource extends Block {
  readonly type: 'resource'
  readonly resource: ResourceContents
}

/**
 * A tool call made by the client's model. See
 * https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#tool-use-in-sampling.
 */
export interface ToolUseContent {
  readonly type: 'tool_use'
  readonly id: string
  readonly name: string
  readonly input: JsonObject
  readonly _meta?: Meta
}

/** The result of a tool call. A message that contains tool results must not contain other blocks. */
export interface ToolResultContent {
  readonly type: 'tool_result'
  readonly toolUseId: string
  readonly content: readonly ContentBlock[]
  readonly structuredContent?: JsonObject
  readonly isError?: boolean
  readonly _meta?: Meta
}

/** A content block in a message for a client's model. */
export type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent

/** One block in the result of a tool or a prompt. */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource

interface Contents {
  readonly uri: string
  readonly mimeType?: string | undefined
  readonly _meta?: Meta | undefined
}

/** The content of one resource: text, or base64 bytes. */
export type ResourceContents = (Contents & { readonly text: string }) | (Contents & { readonly blob: string })

/**
 * The result of a tool call. If `isError` is true, the tool has failed, and the model should read the content.
 */
export interface CallToolResult {
  readonly content: readonly ContentBlock[]
  readonly structuredContent?: unknown
  readonly isError?: boolean | undefined
  readonly _meta?: Meta | undefined
}

/** The result of reading a resource: its contents, or the contents of all resources within it. */
export interface ReadResourceResult {
  readonly contents: readonly ResourceContents[]
  readonly _meta?: Meta | undefined
}

/** One message of a prompt. */
export interface PromptMessage {
  readonly role: Role
  readonly content: ContentBlock
}

/** A prompt with its arguments inserted. */
export interface GetPromptResult {
  readonly description?: string | undefined
  readonly messages: readonly PromptMessage[]
  readonly _meta?: Meta | undefined
}

/** At most 100 suggested values for a partly typed argument. */
export interface CompleteResult {
  readonly completion: {
    readonly values: readonly string[]
    readonly total?: number
    readonly hasMore?: boolean
  }
}

/** Any object is allowed, because a peer may declare capabilities that this revision does not define. */
export interface ClientCapabilities extends JsonObject {
  readonly roots?: { readonly listChanged?: boolean }
  readonly sampling?: JsonObject
  readonly elicitation?: JsonObject
  readonly experimental?: JsonObject
  readonly extensions?: JsonObject
}

/** A server's features. If a field is missing, the server does not offer that feature. */
export interface ServerCapabilities {
  readonly tools?: { readonly listChanged?: boolean }
  readonly resources?: { readonly subscribe?: boolean; readonly listChanged?: boolean }
  readonly prompts?: { readonly listChanged?: boolean }
  readonly completions?: JsonObject
  readonly logging?: JsonObject
  readonly tasks?: JsonObject
  readonly experimental?: JsonObject
  readonly extensions?: JsonObject
}

/** The RFC 5424 severities, lowest first. */
export const LOG_LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const
/** The severity of a log message, as in syslog (RFC 5424). `debug` is the lowest. */
export type LogLevel = (typeof LOG_LEVELS)[number]

export const isLogLevel = (level: unknown): level is LogLevel =>
  (LOG_LEVELS as readonly unknown[]).includes(level)

/** The extension with which clients declare support for tasks, in revisions without built-in tasks. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'

/** The state of a task. The last three are final. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

/** Whether a tool may, must or must not be called as a task. */
export type TaskSupport = 'forbidden' | 'optional' | 'required'

/** A task as clients see it, before it is adapted to a revision. */
export interface TaskInfo {
  readonly taskId: string
  readonly status: TaskStatus
  /** A status message for people and models. */
  readonly statusMessage?: string
  /** When the task was created, in ms since 1970. */
  readonly createdAt: number
  /** When the task last changed, in ms since 1970. */
  readonly updatedAt: number
  /** How long the task is kept, in ms from its creation. */
  readonly ttlMs: number
  /** How long a client should wait before it polls again, in ms. */
  readonly pollIntervalMs: number
}

/** Returns the task fields that every revision includes. */
export const shownTask = ({ taskId, status, statusMessage, createdAt, updatedAt }: TaskInfo): JsonObject => ({
  taskId,
  status,
  ...(statusMessage !== undefined && { statusMessage }),
  createdAt: new Date(createdAt).toISOString(),
  lastUpdatedAt: new Date(updatedAt).toISOString(),
})

/** Returns whether a task in this state can no longer change. */
export const isFinal = (status: TaskStatus): boolean => status !== 'working' && status !== 'input_required'
