import type { CacheHints } from '../../protocol/revisions/revision.ts'
import type { Resource } from '../../protocol/types.ts'
import type { CompiledHandler } from '../registry/compile-handler.ts'
import type { CompiledHooks } from './subscriber-hooks.ts'

/** A resource as it is kept, or as a template listed it. */
export interface ResourceEntry extends CompiledHandler {
  readonly item: Resource
  readonly hooks: CompiledHooks | undefined
  /** How long its reads may be kept, unless they say otherwise. */
  readonly hints: CacheHints
}
