import type { AnyTool, RequestContext, ToolResult, VisibleRule } from '@jetway/core'
import type { ArgumentsOf, TypedTools } from '../types.ts'

/** A value of an argument, as JSON. */
type Value = string | number | boolean | null | readonly unknown[] | { readonly [member: string]: unknown }

/** What clients see of an argument, or the value of an argument that they do not see. */
export type ArgumentChange<App = unknown, Locals = unknown> =
  | {
      /** The argument's name for clients. */
      readonly name?: string
      readonly description?: string
      readonly hide?: false
    }
  | {
      /** Clients neither see nor send the argument. A call that has it is refused. */
      readonly hide: true
      /**
       * The value, or a function that returns it for each call. If the function returns undefined, the call fails.
       * @default the default in the tool's schema
       */
      readonly value?: Value | ((ctx: RequestContext<App, Locals>) => unknown)
    }

/** Changes that definitions of all kinds can have. */
export interface DefinitionChange<App = unknown, Locals = unknown> {
  readonly title?: string
  readonly description?: string
  /** Who may see the definition. The definition's own rule must allow it too. */
  readonly visible?: VisibleRule<App, Locals>
}

/** Changes of a prompt. */
export interface PromptChange<App = unknown, Locals = unknown> extends DefinitionChange<App, Locals> {
  readonly name?: string
}

/** Changes of a tool. */
export interface ToolChange<
  Args = Readonly<Record<string, unknown>>,
  App = unknown,
  Locals = unknown,
> extends DefinitionChange<App, Locals> {
  readonly name?: string
  readonly annotations?: AnyTool['annotations']
  /** Changes of arguments, by their names. */
  readonly args?: { readonly [Name in keyof Args]?: ArgumentChange<App, Locals> }
  /**
   * Returns what clients get instead of the result: any value that a tool's handler may return. It does not run for
   * failures (`isError`). The tool has no `outputSchema` then.
   */
  readonly result?: (result: ToolResult, ctx: RequestContext<App, Locals>) => unknown
  /**
   * Runs instead of the tool's handler. `next` runs that handler, by default with the same arguments. If the tool
   * has questions for the client, `next` throws; do not catch its error. The handler then runs again from the start.
   */
  readonly handler?: (
    args: Readonly<Record<string, unknown>>,
    ctx: RequestContext<App, Locals>,
    next: Next,
  ) => unknown
}

/** Runs the handler of a changed tool. */
export type Next = (args?: Readonly<Record<string, unknown>>) => Promise<ToolResult>

/** Changes by name, or `false` to leave a definition out. */
type ByName<Change> = { readonly [name: string]: Change | false }

/** The changes of the tools that a source has by its type. */
type TypedChanges<Tools extends TypedTools, App, Locals> = {
  readonly [Name in keyof Tools]?: ToolChange<ArgumentsOf<Tools[Name]>, App, Locals> | false
}

/** Any names, unless the source has types. */
type ToolChanges<Tools, App, Locals> = [Tools] extends [never]
  ? ByName<ToolChange<Readonly<Record<string, unknown>>, App, Locals>>
  : Tools extends TypedTools
    ? TypedChanges<Tools, App, Locals>
    : ByName<ToolChange<Readonly<Record<string, unknown>>, App, Locals>>

/** The changes of {@link change}. Definitions that they do not name stay as they are. */
export interface SourceChanges<Tools = unknown, App = unknown, Locals = unknown> {
  /** By name. */
  readonly tools?: ToolChanges<Tools, App, Locals>
  /** By name. */
  readonly prompts?: ByName<PromptChange<App, Locals>>
  /** By URI. */
  readonly resources?: ByName<DefinitionChange<App, Locals>>
  /** By URI template. */
  readonly resourceTemplates?: ByName<DefinitionChange<App, Locals>>
}
