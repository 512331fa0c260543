import type { GetPromptResult, PromptArgument } from '../../protocol/types.ts'
import type { RequestContext } from '../../call/request-context.ts'
import type { InferArguments, InferInput, JsonSchema, RefuseShape } from '../../schema/types.ts'
import type { StringFieldsSchema } from '../../schema/types.ts'
import type { Relayed } from '../registry/brand.ts'
import type { DisplayFields } from '../registry/checks.ts'
import type { Completers } from '../completers.ts'
import type { Content } from '../content/content.ts'
import type { InputRequired } from '../tools/input-required.ts'
import type { PromptMessages, Message } from './prompt-messages.ts'
import type { VisibleRule } from '../registry/handler.ts'
import type { Awaitable } from '../../util/promises.ts'

/** A schema of strings, because clients send prompt arguments as strings. */
export type PromptSchema = StringFieldsSchema | JsonSchema

/** Arguments that are listed individually, because their names cannot be the properties of a schema. */
export type PromptArguments = readonly PromptArgument[]

type RequiredNames<L extends PromptArguments> = Extract<L[number], { readonly required: true }>['name']

/** The types of the listed arguments: required arguments are strings, and the others are optional strings. */
type ListedArguments<L extends PromptArguments> = { readonly [Name in RequiredNames<L>]: string } & {
  readonly [Name in Exclude<L[number]['name'], RequiredNames<L>>]?: string
}

type PromptInput<S extends PromptSchema | undefined, L extends PromptArguments> = S extends PromptSchema
  ? InferArguments<S>
  : ListedArguments<L>

/** The argument names that clients send. A schema may rename them for the handler. */
type PromptArgumentName<
  S extends PromptSchema | undefined,
  L extends PromptArguments,
> = S extends PromptSchema ? keyof InferInput<S> : L[number]['name']

/** The values that a prompt's handler may return. A string or a content block becomes one user message. */
type PromptReturn =
  | string
  | Content
  | Message
  | readonly Message[]
  | PromptMessages
  | GetPromptResult
  | InputRequired
  | Relayed

interface PromptFields<S, L, Name extends PropertyKey, Input, App, Locals> extends DisplayFields {
  readonly name: string
  /** Describes, validates and transforms the arguments. Clients send only strings. */
  readonly argsSchema?: S & RefuseShape<S>
  /**
   * An alternative to `argsSchema`: for names with spaces, or if it is enough to check that the arguments are
   * present.
   */
  readonly arguments?: L
  /** Suggests values for arguments. */
  readonly complete?: Completers<Name, App, Locals>
  /**
   * How long a call may run without reporting progress before it is ended, in ms.
   *
   * @default the server's `limits.handlerTimeoutMs`
   */
  readonly timeoutMs?: number
  /**
   * The scopes that a caller needs to request the prompt. A caller that lacks one of them is refused (with 403
   * over HTTP), but the prompt is still listed. The local user on stdio needs no scopes. @default none
   */
  readonly scopes?: readonly string[]
  /** Whether a caller may see the prompt. @default everyone may */
  readonly visible?: VisibleRule<App, Locals>
  readonly handler: (args: Input, ctx: RequestContext<App, Locals>) => Awaitable<PromptReturn>
}

/** A prompt: messages that a user requests by name. */
export interface PromptDefinition<
  S extends PromptSchema | undefined = undefined,
  L extends PromptArguments = readonly [],
  App = unknown,
  Locals = unknown,
> extends PromptFields<S, L, PromptArgumentName<S, L>, PromptInput<S, L>, App, Locals> {}

/** Any prompt definition, for use in lists. */
export interface AnyPrompt<App = never, Locals = never> extends PromptFields<
  PromptSchema | undefined,
  PromptArguments,
  string,
  never,
  App,
  Locals
> {}
