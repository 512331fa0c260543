import type { SchemaEngine } from '../schema/types.ts'
import type { buildTemplate } from '../features/resources/resource-templates.ts'
import type { compileAsks } from '../features/tools/asks.ts'
import type { addExtensions } from '../features/extensions.ts'
import type { subscriptionMethods } from '../features/subscription-methods.ts'
import type { createInputContext } from './resolve-options.ts'
import type { createTasks } from './tasks-option.ts'

/** The parts of a server that not every preset has. Bundlers drop the code of those that none imports. */
export interface ServerParts {
  readonly schemaEngine: () => SchemaEngine
  /** Questions to the client. */
  readonly input?: {
    readonly createContext: typeof createInputContext
    readonly compileAsks: typeof compileAsks
  }
  readonly tasks?: typeof createTasks
  readonly buildTemplate?: typeof buildTemplate
  readonly subscriptions?: typeof subscriptionMethods
  readonly addExtensions?: typeof addExtensions
}
