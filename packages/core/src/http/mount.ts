import type { Revision } from '../protocol/revisions/revision.ts'
import type { WaitUntil, WorkCount } from '../call/wait-until.ts'
import type { Clock } from '../util/clock.ts'
import type { EventStore } from '../stores/event-store.ts'
import type { Logger } from '../util/logger.ts'
import type { Random } from '../util/random.ts'
import type { ResolvedOptions } from './options.ts'
import type { OpenStreams } from './streams/keep-alive.ts'
import type { Pings } from './sessions/pings.ts'
import type { Rejections } from './rejections.ts'
import type { ServedServers } from './served-servers.ts'
import type { Deadlines } from '../util/timers.ts'

/** What the parts of one mount share. */
export interface EndpointContext {
  readonly clock: Clock
  readonly random: Random
  readonly servers: ServedServers
  readonly options: ResolvedOptions
  readonly logger: Logger
  /** Newest first. */
  readonly served: readonly Revision[]
  /** Undefined where nothing can be resumed. */
  readonly events: EventStore | undefined
  readonly openStreams: OpenStreams
  /** Finds sessions whose clients have gone; undefined unless the mount was told to. */
  readonly pings: Pings | undefined
  readonly rejections: Rejections
  /** Turns calls that last into streams. */
  readonly upgrades: Deadlines
  /** Requests and calls that a close waits for. */
  readonly work: WorkCount
  /** Work that its call has left behind, which a close waits for too. */
  readonly background: WaitUntil
}
