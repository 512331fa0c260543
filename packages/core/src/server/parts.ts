import type { SchemaEngine } from '../schema/types.ts'
import type { subscriptionMethods } from '../features/subscription-methods.ts'
import type { createTasks } from './tasks-option.ts'

/** The parts of a server that not every preset has. Bundlers drop the code of those that none imports. */
export interface ServerParts {
  readonly schemaEngine: () => SchemaEngine
  readonly tasks?: typeof createTasks
  readonly subscriptions?: typeof subscriptionMethods
}
