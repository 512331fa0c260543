import type { AnySchema } from '../schema/types.ts'
import type { ChangeEvent } from '../stores/bus.ts'
import type { ReadProblem, Refuse } from './content/result-types.ts'
import type { AnyPrompt, PromptArguments, PromptDefinition, PromptSchema } from './prompts/prompt-types.ts'
import type {
  AnyResource,
  AnyResourceTemplate,
  ResourceDefinition,
  ResourceTemplateDefinition,
} from './resources/resource-types.ts'
import type { AnyTool, CheckTool, ToolDefinition, ToolReturn } from './tools/tool-types.ts'

/** The key under which a definition stores its kind, because tools and prompts may have the same members. */
export const KIND: unique symbol = Symbol.for('dev.jetway/kind')

/** Marks a definition with its kind. It is exported because the types of definitions refer to it. */
export interface OfKind<K extends string> {
  readonly [KIND]: K
}

/** The return value of a `define*` function, for `server.add`. */
export type AnyDefinition<App = never, Locals = never> =
  | (AnyTool<App, Locals> & OfKind<'tool'>)
  | (AnyResource<App, Locals> & OfKind<'resource'>)
  | (AnyResourceTemplate<App, Locals> & OfKind<'resource template'>)
  | (AnyPrompt<App, Locals> & OfKind<'prompt'>)

// `NoInfer` is needed because otherwise the element type of a list would determine the type parameters that a
// definition omits.

/**
 * Infers the types of a tool defined in a separate file. Pass the returned definition to `server.add` or
 * `server.addTool`.
 */
export const defineTool = <
  const I extends AnySchema | undefined = undefined,
  O extends AnySchema | undefined = undefined,
  App = unknown,
  Locals = unknown,
  A = {},
  R extends ToolReturn<O> = ToolReturn<O>,
  W extends string = never,
>(
  definition: ToolDefinition<I, O, App, Locals, A, R> & CheckTool<I, O, R> & { readonly wrapOutput?: W },
): ToolDefinition<NoInfer<I>, NoInfer<O>, App, Locals, NoInfer<A>> & OfKind<'tool'> & Wraps<W> =>
  ({ ...definition, [KIND]: 'tool' }) as never

/** Marks the type of a tool whose structured value may be wrapped, so that the types of clients can unwrap it. */
type Wraps<W extends string> = [W] extends [never] ? unknown : { readonly wrapOutput: W }

/** See {@link defineTool}. */
export const defineResource = <App = unknown, Locals = unknown, R = unknown>(
  definition: ResourceDefinition<App, Locals, R> & Refuse<ReadProblem<R>>,
): ResourceDefinition<App, Locals> & OfKind<'resource'> => ({ ...definition, [KIND]: 'resource' })

/** See {@link defineTool}. */
export const defineResourceTemplate = <
  const Template extends string,
  App = unknown,
  Locals = unknown,
  R = unknown,
>(
  definition: ResourceTemplateDefinition<Template, App, Locals, R> & Refuse<ReadProblem<R>>,
): ResourceTemplateDefinition<Template, App, Locals> & OfKind<'resource template'> => ({
  ...definition,
  [KIND]: 'resource template',
})

/** See {@link defineTool}. */
export const definePrompt = <
  S extends PromptSchema | undefined = undefined,
  const L extends PromptArguments = readonly [],
  App = unknown,
  Locals = unknown,
>(
  definition: PromptDefinition<S, L, App, Locals>,
): PromptDefinition<NoInfer<S>, NoInfer<L>, App, Locals> & OfKind<'prompt'> =>
  ({ ...definition, [KIND]: 'prompt' }) as never

export type List<Definition> = Iterable<Definition> | Promise<Iterable<Definition>>

/** A registry whose definitions a server adds to its own. Each method returns all current definitions. */
export interface Source<App = unknown, Locals = unknown> {
  tools?(): List<AnyTool<App, Locals>>
  resources?(): List<AnyResource<App, Locals>>
  resourceTemplates?(): List<AnyResourceTemplate<App, Locals>>
  prompts?(): List<AnyPrompt<App, Locals>>
  /**
   * Calls the listener after every change, or once after several changes.
   *
   * @returns a function that removes the listener
   */
  onChange(listener: () => void): () => void
  /**
   * Calls the listener for events that the definitions do not show: a changed resource, a completed URL
   * elicitation, a log message. The observing server publishes them as its own.
   *
   * @returns a function that removes the listener
   */
  onEvent?(listener: (event: ChangeEvent) => void): () => void
  /** Whether the definitions include those of the server with this `runtime`. Such a server is not observed. */
  contains?(runtime: object): boolean
}
