import type { SchemaEngine } from '../schema/types.ts'
import type { FeatureParts } from '../features/features.ts'
import type { checkNamesOfOptions } from './option-names.ts'
import type { createInput, createObservers } from './resolve-options.ts'
import type { createTasks } from './tasks-option.ts'

/** The parts of a server that not every preset has. Bundlers drop the code of unused ones. */
export interface ServerParts extends FeatureParts {
  readonly schemaEngine: () => SchemaEngine
  /** Without it handlers cannot ask their clients anything. */
  readonly createInput?: typeof createInput
  readonly createTasks?: typeof createTasks
  /** Without it calls are not observed. */
  readonly createObservers?: typeof createObservers
  /** Without it options may have wrong names: the types catch those. */
  readonly checkNamesOfOptions?: typeof checkNamesOfOptions
}
