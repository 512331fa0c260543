import type { WaitUntil } from '../call/wait-until.ts'
import type { Revision } from '../protocol/revisions/revision.ts'
import type { CallPool } from '../session/call-pool.ts'
import type { Drainable } from '../session/drainable.ts'
import type { SharedStores } from '../stores/shared-stores.ts'
import type { Random } from '../util/random.ts'
import type { Deadlines } from '../util/timers.ts'
import type { Authenticate, WellKnown } from './authenticate.ts'
import type { Rejections } from './servers/rejections.ts'
import type { ServedServers } from './servers/served-servers.ts'
import type { OpenStreams } from './streams/keep-alive.ts'
import type { StreamContext } from './streams/sse-writer.ts'

/** The options and state shared by the parts of one mount. */
export interface EndpointContext extends StreamContext {
  readonly openStreams: OpenStreams
  readonly random: Random
  readonly servers: ServedServers
  /** The `authenticate` option, bound to this mount. */
  readonly authenticate: Authenticate | undefined
  /** The documents of the options `authenticate` and `card`. */
  readonly wellKnown: WellKnown | undefined
  /** The revisions that this mount serves, newest first. */
  readonly served: readonly Revision[]
  /** Undefined if the server runs in a single process. */
  readonly shared: SharedStores | undefined
  /** The calls that do not belong to a session. */
  readonly calls: CallPool
  readonly rejections: Rejections
  /** Converts the replies of slow calls to streams. */
  readonly upgrades: Deadlines
  /** The requests and calls that the mount waits for when it closes. */
  readonly work: Drainable
  /** Work that continues after its call. When the mount closes, it also waits for this work. */
  readonly background: WaitUntil
}
