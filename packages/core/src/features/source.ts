import type { AnyPrompt } from './prompts/prompt-types.ts'
import type { AnyResource, AnyResourceTemplate } from './resources/resource-types.ts'
import type { AnyTool } from './tools/tool-types.ts'

/** Definitions, now or later. */
export type List<Definition> = Iterable<Definition> | Promise<Iterable<Definition>>

/** Another registry, whose contents a server offers as its own. Each method gives all that there is at the time. */
export interface Source<App = unknown, Locals = unknown> {
  tools?(): List<AnyTool<App, Locals>>
  resources?(): List<AnyResource<App, Locals>>
  resourceTemplates?(): List<AnyResourceTemplate<App, Locals>>
  prompts?(): List<AnyPrompt<App, Locals>>
  /**
   * Calls the listener after every change, or once after several.
   *
   * @returns the function that ends it
   */
  onChange(listener: () => void): () => void
}
