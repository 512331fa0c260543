import type { AnySchema } from '../schema/types.ts'
import type { AnyPrompt, PromptArguments, PromptDefinition, PromptSchema } from './prompts/prompt-types.ts'
import type {
  AnyResource,
  AnyResourceTemplate,
  ResourceDefinition,
  ResourceTemplateDefinition,
} from './resources/resource-types.ts'
import type { AnyTool, ToolDefinition } from './tools/tool-types.ts'

/** What kind of definition an object is: a tool and a prompt may look alike. */
export const KIND: unique symbol = Symbol.for('dev.jetway/kind')

/** Marks a definition with its kind. Exported so that declarations of definitions can be written. */
export interface OfKind<K extends string> {
  readonly [KIND]: K
}

/** A definition that a `define*` function made, for `server.add`. */
export type AnyDefinition<App = never, Mount = never> =
  | (AnyTool<App, Mount> & OfKind<'tool'>)
  | (AnyResource<App, Mount> & OfKind<'resource'>)
  | (AnyResourceTemplate<App, Mount> & OfKind<'resource template'>)
  | (AnyPrompt<App, Mount> & OfKind<'prompt'>)

// NoInfer: where a list is expected, its element type must not decide what a definition leaves out.

/** A tool in a file of its own, with its types inferred, to be given to `server.add` or `server.addTool`. */
export const defineTool = <
  const I extends AnySchema | undefined = undefined,
  O extends AnySchema | undefined = undefined,
  App = unknown,
  Mount = unknown,
  A = {},
>(
  definition: ToolDefinition<I, O, App, Mount, A>,
): ToolDefinition<NoInfer<I>, NoInfer<O>, App, Mount, NoInfer<A>> & OfKind<'tool'> => ({
  ...definition,
  [KIND]: 'tool',
})

/** A resource in a file of its own. See {@link defineTool}. */
export const defineResource = <App = unknown, Mount = unknown>(
  definition: ResourceDefinition<App, Mount>,
): ResourceDefinition<App, Mount> & OfKind<'resource'> => ({ ...definition, [KIND]: 'resource' })

/** A resource template in a file of its own. See {@link defineTool}. */
export const defineResourceTemplate = <const Template extends string, App = unknown, Mount = unknown>(
  definition: ResourceTemplateDefinition<Template, App, Mount>,
): ResourceTemplateDefinition<Template, App, Mount> & OfKind<'resource template'> => ({
  ...definition,
  [KIND]: 'resource template',
})

/** A prompt in a file of its own. See {@link defineTool}. */
export const definePrompt = <
  S extends PromptSchema | undefined = undefined,
  const L extends PromptArguments = readonly [],
  App = unknown,
  Mount = unknown,
>(
  definition: PromptDefinition<S, L, App, Mount>,
): PromptDefinition<NoInfer<S>, NoInfer<L>, App, Mount> & OfKind<'prompt'> => ({
  ...definition,
  [KIND]: 'prompt',
})
