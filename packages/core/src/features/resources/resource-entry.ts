import type { CacheHints } from '../../protocol/revisions/revision.ts'
import type { Resource } from '../../protocol/types.ts'
import type { CallContext } from '../../call/context.ts'
import type { Guarded } from '../registry/visibility.ts'
import type { WatchHooks } from './subscriber-hooks.ts'

/** A resource as it is kept, or as a template listed it. */
export interface ResourceEntry extends Guarded {
  readonly item: Resource
  readonly timeoutMs: number | undefined
  readonly hooks: WatchHooks | undefined
  /** How long its reads may be kept, unless they say otherwise. */
  readonly hints: CacheHints
  handle(args: unknown, ctx: CallContext): unknown
}
