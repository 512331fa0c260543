import type { AnyPrompt } from './prompts/prompt-types.ts'
import type { AnyResource, AnyResourceTemplate } from './resources/resource-types.ts'
import type { AnyTool } from './tools/tool-types.ts'

export type List<Definition> = Iterable<Definition> | Promise<Iterable<Definition>>

/** A registry whose definitions a server adds to its own. Each method returns all current definitions. */
export interface Source<App = unknown, Locals = unknown> {
  tools?(): List<AnyTool<App, Locals>>
  resources?(): List<AnyResource<App, Locals>>
  resourceTemplates?(): List<AnyResourceTemplate<App, Locals>>
  prompts?(): List<AnyPrompt<App, Locals>>
  /**
   * Calls the listener after every change, or once after several.
   *
   * @returns a function that removes the listener
   */
  onChange(listener: () => void): () => void
}
