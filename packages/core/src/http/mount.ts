import type { Revision } from '../protocol/revisions/revision.ts'
import type { EventStore } from '../runtime/event-store.ts'
import type { Logger } from '../runtime/logger.ts'
import type { ServerRuntime } from '../runtime/server-runtime.ts'
import type { ResolvedOptions } from './options.ts'
import type { OpenStreams } from './open-streams.ts'
import type { Deadlines, Work } from '../runtime/timers.ts'

/** What the parts of one mount share. */
export interface Mount {
  readonly runtime: ServerRuntime
  readonly options: ResolvedOptions
  readonly logger: Logger
  /** Newest first. */
  readonly served: readonly Revision[]
  /** Undefined where nothing can be resumed. */
  readonly events: EventStore | undefined
  readonly openStreams: OpenStreams
  /** Turns calls that last into streams. */
  readonly upgrades: Deadlines
  /** Requests and calls that a close waits for. */
  readonly work: Work
}
