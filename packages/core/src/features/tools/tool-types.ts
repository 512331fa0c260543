import type { CallToolResult, TaskSupport, ToolAnnotations } from '../../protocol/types.ts'
import type { RequestContext } from '../../call/request-context.ts'
import type { AnySchema, InferOutput, RefuseShape } from '../../schema/types.ts'
import type { ToolUi } from '../apps/app-types.ts'
import type { Answers, ToolArguments, ToolAsks } from './asks.ts'
import type { Awaitable } from '../../util/promises.ts'
import type { DisplayFields } from '../registry/checks.ts'
import type { InputRequired } from './input-required.ts'
import type { Refuse, ToolProblem } from '../content/result-types.ts'
import type { ToolResult } from '../content/content.ts'
import type { WrapOutput } from './wrap-output.ts'
import type { VisibleRule } from '../registry/handler.ts'

/** Hints about a tool, with the specification's names or shorter ones. */
interface ToolHints extends ToolAnnotations {
  /** Whether the tool has no effects. Published as `readOnlyHint`. @default clients assume false */
  readonly readOnly?: boolean
  /**
   * Whether the tool may overwrite or delete data. Published as `destructiveHint`. @default clients assume true
   */
  readonly destructive?: boolean
  /** Whether repeating a call has no further effect. Published as `idempotentHint`. @default clients assume false */
  readonly idempotent?: boolean
  /**
   * Whether the tool accesses anything outside the server, such as the web. Published as `openWorldHint`.
   * @default clients assume true
   */
  readonly openWorld?: boolean
}

/** Metadata that the specification does not define, published in `_meta`. */
interface ToolMetadata {
  /**
   * The tool's priority, a whole number. If the server's `tools.orderByPriority` option is set, tools with a
   * higher priority are listed first. Published as `dev.jetway/priority`.
   * @default 0 (not published)
   */
  readonly priority?: number
  /** Related tools, published as `dev.jetway/relatedTools` without those that are hidden from the caller. */
  readonly relatedTools?: readonly RelatedTool[]
  /** `ephemeral`: clients must not reuse a result for another call. Published as `dev.jetway/cacheControl`. */
  readonly cacheControl?: 'ephemeral'
}

/** A tool that is related to this one (`related`), or suggested as the next tool to call (`suggested`). */
interface RelatedTool {
  readonly name: string
  readonly relation: 'related' | 'suggested'
}

/** Members for tools that another server or an API defines. */
interface ComposedFields {
  /**
   * Whether the schemas are published as they are. They are not compiled, and neither arguments nor results are
   * validated, because whoever defines the tool does so. @default false
   */
  readonly relayed?: boolean
  /**
   * A second name, which calls can use, but which is in no list. A tool with this name takes precedence. If
   * several tools claim the alias, it names none of them. @default none
   */
  readonly alias?: string
}

interface ToolFields extends DisplayFields, ToolMetadata, ComposedFields {
  /** The name: 1 to 128 of the characters `A-Za-z0-9_.-`, unique within the server. */
  readonly name: string
  /**
   * The scopes that a call needs. A caller that lacks one of them is refused before the call runs (with 403
   * over HTTP, so that the client can ask the user for the scopes), but the tool is still listed. The local
   * user on stdio needs no scopes.
   *
   * @default none
   */
  readonly scopes?: readonly string[]
  /** Hints for the client. They are not guarantees, and clients must not rely on them. */
  readonly annotations?: ToolHints
  /**
   * How long a call may run without reporting progress before it is ended, in ms.
   *
   * @default the server's `limits.handlerTimeoutMs`
   */
  readonly timeoutMs?: number
  /**
   * Whether the tool rejects arguments that are not in its `inputSchema`.
   *
   * @default the server's `tools.strictInput`
   */
  readonly strictInput?: boolean
  /** The maximum size of a result, in bytes, at least 1024. @default the server's `limits.maxResultBytes` */
  readonly maxResultBytes?: number
  /**
   * Whether clients may (`optional`) or must (`required`) call the tool as a task: the client immediately
   * receives a response, and fetches the result later. For a client that does not support tasks, the tool runs
   * like any other tool.
   * @default 'forbidden'
   */
  readonly taskSupport?: TaskSupport
  /** A message that the model may read while the task is running. Clients may ignore it. */
  readonly immediateResponse?: string
  /** Whether results are validated against the `outputSchema`. @default the server's `tools.validateOutput` */
  readonly validateOutput?: boolean
  /** The user interface that shows the tool's results. Requires the `apps()` extension from `@jetway/core/apps`. */
  readonly ui?: ToolUi
}

/**
 * Any value. With `unknown`, the compiler would widen a value such as `'open'` to `string` if the handler has
 * no parameters, because such a handler is inferred before the `outputSchema`. The literals in this union
 * prevent that.
 */
type Anything =
  | ''
  | 0
  | false
  | {}
  | null
  | undefined
  | void
  | readonly Anything[]
  | { readonly [key: string]: Anything }

/**
 * The values that a tool's handler may return. If the tool has an `outputSchema`, the handler returns a value
 * that matches it, or a whole result. If not, the handler may return any value: a string is sent as text,
 * content blocks as content, `undefined` as empty content, and any other value as JSON text. A whole result is
 * created by `result(…)`, or has the protocol's format
 * `{ content: [...], structuredContent?, isError?, _meta? }`.
 */
export type ToolReturn<O extends AnySchema | undefined> = O extends AnySchema
  ? Structured<InferOutput<O>> | InputRequired
  : Anything | ToolResult<Anything> | CallToolResult | InputRequired

type Structured<S> = unknown extends S
  ? Anything | ToolResult<Anything> | CallToolResult
  : S | ToolResult<S> | ProtocolResult<S>

/**
 * The protocol's result, with a structured value that matches the schema. Does not apply to schemas that
 * declare `structuredContent`.
 */
type ProtocolResult<S> = 'structuredContent' extends keyof S
  ? never
  :
      | (Omit<CallToolResult, 'structuredContent' | 'isError'> & {
          readonly structuredContent: S
          readonly isError?: false | undefined
        })
      | (CallToolResult & { readonly isError: true })

/** A tool that a model may call. */
export interface ToolDefinition<
  I extends AnySchema | undefined = undefined,
  O extends AnySchema | undefined = undefined,
  App = unknown,
  Locals = unknown,
  A = {},
  R = ToolReturn<O>,
> extends ToolFields {
  /**
   * Describes and validates the arguments: a zod schema, another Standard Schema that supports JSON Schema,
   * or a JSON Schema. The root of the schema must be an object.
   */
  readonly inputSchema?: I
  /** Describes the structured value. */
  readonly outputSchema?: O
  /**
   * The key under which the value is wrapped in an object, for an `outputSchema` that is not an object. For
   * example, `'items'` sends `{ items: value }` and a matching schema in revisions whose structured values must
   * be objects. In revisions that allow any value, the value itself is sent.
   * @default not wrapped: clients that require an object receive the value only as JSON text
   */
  readonly wrapOutput?: WrapOutput<O>
  /**
   * Functions that run before the handler. Each returns a value or a question for the client. The handler
   * runs exactly once, with the answers in `ctx.answers`. Write `asks` above `handler`, so that the compiler
   * infers the answers. `asks(inputSchema)` works in any position, and each of its asks can read the answers
   * to earlier ones.
   */
  readonly asks?: ToolAsks<I, A, App, Locals>
  /** Whether a caller may see the tool. @default everyone may */
  readonly visible?: VisibleRule<App, Locals>
  /**
   * The function that runs when the tool is called. Throw a `ToolError` for a failure that the model should
   * read; for other errors, the model receives a generic message.
   */
  readonly handler: (args: ToolArguments<I>, ctx: RequestContext<App, Locals, Answers<A>>) => Awaitable<R>
}

/**
 * For tools without an `outputSchema`, rejects values that are almost a result. For all tools, rejects an
 * object whose members are schemas where a schema is expected.
 */
export type CheckTool<I, O, R> = CheckSchema<'inputSchema', I> &
  (O extends AnySchema ? CheckSchema<'outputSchema', O> : Refuse<ToolProblem<R>>)

/** Decides immediately for the schema of a library, which is the most frequent case. */
type CheckSchema<Member extends string, S> = S extends { readonly '~standard': unknown } | undefined
  ? unknown
  : unknown extends RefuseShape<S>
    ? unknown
    : { readonly [M in Member]: RefuseShape<S> }

/** Rejects an object whose members are schemas where a schema is expected, in a tool or in any tool of a union. */
export type NoShape<T> = {
  readonly [K in 'inputSchema' | 'outputSchema']?: RefuseShape<T extends unknown ? T[keyof T & K] : never>
}

/** Any tool definition, for use in lists. */
export interface AnyTool<App = never, Locals = never> extends ToolFields {
  readonly inputSchema?: AnySchema | undefined
  readonly outputSchema?: AnySchema | undefined
  readonly wrapOutput?: string
  readonly asks?: object
  readonly visible?: VisibleRule<App, Locals>
  readonly handler: (args: never, ctx: RequestContext<App, Locals, never>) => unknown
}

/** Options for all tools. A tool's own `strictInput` and `validateOutput` override them. */
export interface ToolOptions {
  /**
   * Whether `tools/list` is sorted by the tools' `priority`, highest first, and then by name. @default false
   */
  readonly orderByPriority?: boolean
  /**
   * Whether each tool's description ends with a line that names its `relatedTools`, for models to read.
   *
   * @default false
   */
  readonly describeRelations?: boolean
  /**
   * Whether tools reject properties that are not in their `inputSchema`, at any depth, and publish schemas
   * that say so. Objects that a schema explicitly leaves open remain open. In a JSON Schema, only the root is
   * closed, unless the root declares its additional properties. @default false
   */
  readonly strictInput?: boolean
  /**
   * Whether structured results are validated against the tool's `outputSchema` before they are sent.
   *
   * @default true
   */
  readonly validateOutput?: boolean
}
