import type { TaskSupport } from '../../protocol/tasks.ts'
import type { CallToolResult } from '../../protocol/types.ts'
import type { RequestContext } from '../../call/request-context.ts'
import type { AnySchema, InferOutput } from '../../schema/types.ts'
import type { ToolUi } from '../apps/app-types.ts'
import type { Answers, ToolAsks } from './ask-types.ts'
import type { ToolArguments } from '../arguments.ts'
import type { Awaitable } from '../../util/promises.ts'
import type { DisplayFields } from '../registry/checks.ts'
import type { InputRequired } from './input-required.ts'
import type { ToolResult } from '../content/result.ts'
import type { ToolHints, ToolMetadata } from './tool-metadata.ts'
import type { VisibleRule } from '../registry/visibility.ts'

interface ToolFields extends DisplayFields, ToolMetadata {
  /** 1 to 128 characters of `A-Za-z0-9_.-`, unique in the server. */
  readonly name: string
  /** Hints for the client, which must not trust them. */
  readonly annotations?: ToolHints
  /** Ends a call that shows no sign of life for this long, in ms. @default the server's `limits.handlerTimeoutMs` */
  readonly timeoutMs?: number
  /** Whether arguments that the `inputSchema` does not name are refused. @default the server's `tools.strictInput` */
  readonly strictInput?: boolean
  /** Bytes that a result may have, 1024 or more. @default the server's `limits.maxResultBytes` */
  readonly maxResultBytes?: number
  /**
   * Whether the tool may (`optional`) or must (`required`) be called as a task: the call is answered at once, runs on, and
   * the client comes back for the result. Where the client cannot do that, the tool runs as any other.
   * @default 'forbidden'
   */
  readonly taskSupport?: TaskSupport
  /** What the model reads at once where the call runs as a task. Clients may ignore it. */
  readonly immediateResponse?: string
  /** Whether results are checked against the `outputSchema` before they are sent. @default the server's `tools.validateOutput` */
  readonly validateOutput?: boolean
  /** The user interface that shows the tool's results. Needs the extension `apps()` of `@jetway/core/apps`. */
  readonly ui?: ToolUi
}

/**
 * Everything there is. It is not spelled `unknown` because the compiler looks at a handler without parameters before it
 * knows the `outputSchema`, and would widen `'open'` to `string` there; the literals in this union keep it from that.
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
 * What a tool's handler may return. With an `outputSchema`, a value of that schema or a whole result. Without one,
 * anything: a string is text, content blocks are content, undefined is no content, another value is JSON text. A whole
 * result is made by `result(…)`, or is the protocol's own `{ content: [...], structuredContent?, isError?, _meta? }`.
 */
type ToolReturn<O extends AnySchema | undefined> = O extends AnySchema
  ? Structured<InferOutput<O>> | InputRequired
  : Anything | ToolResult<Anything> | CallToolResult | InputRequired

type Structured<S> = unknown extends S
  ? Anything | ToolResult<Anything> | CallToolResult
  : S | ToolResult<S> | ProtocolResult<S>

/** The protocol's result around a value of the schema. A schema that declares `content` leaves no room for it. */
type ProtocolResult<S> = 'content' extends keyof S
  ? never
  :
      | (Omit<CallToolResult, 'structuredContent' | 'isError'> & {
          readonly structuredContent: S
          readonly isError?: false | undefined
        })
      | (CallToolResult & { readonly isError: true })

/** A tool: something that a model may call. */
export interface ToolDefinition<
  I extends AnySchema | undefined = undefined,
  O extends AnySchema | undefined = undefined,
  App = unknown,
  Locals = unknown,
  A = {},
> extends ToolFields {
  /** zod, another Standard Schema that gives JSON Schema, or JSON Schema; an object at its root. */
  readonly inputSchema?: I
  /** The shape of the structured value. */
  readonly outputSchema?: O
  /**
   * What has to be known before the handler runs, each a value or a question to the client's side. The handler then
   * runs once and finds the answers in `ctx.answers`. Stands above `handler`, for the compiler to know the answers
   * there; `asks(inputSchema)` builds them for any place, and so that an ask knows the answers of those before it.
   */
  readonly asks?: ToolAsks<I, A, App, Locals>
  /** Whether a caller may know of the tool. @default everybody may */
  readonly visible?: VisibleRule<App, Locals>
  /** Throw a `ToolError` for a failure that the model should read; every other error is shown as a generic text. */
  readonly handler: (
    args: ToolArguments<I>,
    ctx: RequestContext<App, Locals, Answers<A>>,
  ) => Awaitable<ToolReturn<O>>
}

/** Any tool definition, for lists of them. */
export interface AnyTool<App = never, Locals = never> extends ToolFields {
  readonly inputSchema?: AnySchema | undefined
  readonly outputSchema?: AnySchema | undefined
  readonly asks?: object
  readonly visible?: VisibleRule<App, Locals>
  readonly handler: (args: never, ctx: RequestContext<App, Locals, never>) => unknown
}

/** How the server handles its tools. A tool has `strictInput` and `validateOutput` too, which win over these. */
export interface ToolOptions {
  /** Whether `tools/list` is ordered by the tools' `priority`, highest first, then by name. @default false */
  readonly orderByPriority?: boolean
  /** Whether a line at the end of a tool's description names its `relatedTools`, for models to read. @default false */
  readonly describeRelations?: boolean
  /**
   * Whether tools refuse arguments that their `inputSchema` does not name, at any depth, and publish that they do. An
   * object that the schema itself opens stays open; of JSON Schema only the root is closed, and only if it does not say
   * itself which further properties it takes. @default false
   */
  readonly strictInput?: boolean
  /** Whether structured results are checked against the tool's `outputSchema` before they are sent. @default true */
  readonly validateOutput?: boolean
}
