import type { SchemaEngine } from '../schema/types.ts'
import type { FeatureParts } from '../features/features.ts'
import type { checkNamesOfOptions } from './option-names.ts'
import type { createInput } from './resolve-options.ts'
import type { createObservers } from './telemetry-option.ts'
import type { createTasks } from './tasks-option.ts'

/** The parts of a server that some presets omit. Bundlers drop the code of unused ones. */
export interface ServerParts extends FeatureParts {
  readonly schemaEngine: () => SchemaEngine
  /** Without it, handlers cannot ask their clients anything. */
  readonly createInput?: typeof createInput
  readonly createTasks?: typeof createTasks
  /** Without it, calls are not observed. */
  readonly createObservers?: typeof createObservers
  /** Without it, wrong names of options are found only by the types. */
  readonly checkNamesOfOptions?: typeof checkNamesOfOptions
}
