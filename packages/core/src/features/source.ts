import type { AnyPrompt } from './prompts/prompt-types.ts'
import type { AnyResource, AnyResourceTemplate } from './resources/resource-types.ts'
import type { AnyTool } from './tools/tool-types.ts'

/** Definitions, now or later. */
export type List<Definition> = Iterable<Definition> | Promise<Iterable<Definition>>

/** Another registry, whose contents a server offers as its own. Each method gives all that there is at the time. */
export interface Source<App = unknown, Mount = unknown> {
  tools?(): List<AnyTool<App, Mount>>
  resources?(): List<AnyResource<App, Mount>>
  resourceTemplates?(): List<AnyResourceTemplate<App, Mount>>
  prompts?(): List<AnyPrompt<App, Mount>>
  /**
   * Calls the listener after every change, or once after several.
   *
   * @returns the function that ends it
   */
  onChange(listener: () => void): () => void
}
