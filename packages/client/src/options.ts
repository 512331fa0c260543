import type { ClientCapabilities, JsonObject, RevisionDate } from '@jetway/core/protocol'
import type { Clock } from '@jetway/core/stores'
import type { Progress } from './conversation/pending-call.ts'
import type { EraCache } from './eras/era-cache.ts'
import type { ClientHandlers } from './features/questions.ts'

/** Options of a `Client`. */
export interface ClientOptions {
  /** What the host calls this server, for its own messages and handlers. The protocol never sees it. */
  readonly name?: string
  /** The revisions to speak. @default all of them */
  readonly revisions?: readonly RevisionDate[]
  /** What answers the server's questions. Only what has a handler is declared as a capability. */
  readonly handlers?: ClientHandlers
  /** Declared beside what follows from the handlers: details of `sampling`, `experimental`, `extensions`. */
  readonly capabilities?: Pick<ClientCapabilities, 'sampling' | 'experimental' | 'extensions'>
  /**
   * Whether calls may run as tasks: where the revision lets the server decide, it is told so, and `callTool` waits for
   * the task. `startTask` works without where the revision lets the client decide.
   * @default false
   */
  readonly tasks?: boolean
  /** Ms without an answer, or a sign of progress where that was asked for. @default 60_000 */
  readonly timeoutMs?: number
  /** Ms that a request may take in all, progress or not; the time in which a handler answers does not count. @default 300_000 */
  readonly maxTotalMs?: number
  /** Ms for the whole of `connect`. @default 60_000 */
  readonly connectTimeoutMs?: number
  /**
   * Ms in which a server on a channel of its own, such as a process, answers the question for its era. Then `initialize`
   * is sent as well, and the first of the two answers decides.
   * @default 3_000
   */
  readonly probeTimeoutMs?: number
  /** Ms in which a handler answers; then the question is cancelled. @default 600_000 */
  readonly answerTimeoutMs?: number
  /** How often one call may come back with questions, where it does so by its result. @default 8 */
  readonly maxRounds?: number
  /** Pages of a list that are followed. @default 64 */
  readonly maxPages?: number
  /** Entries that a list may have in all. @default 10_000 */
  readonly maxItems?: number
  /** Whether to ask a server only for what it says it has; false for those that forget to. @default true */
  readonly strictCapabilities?: boolean
  /** Whether a tool's structured result is held against the tool's own schema. @default true */
  readonly validateOutput?: boolean
  /** Where it is remembered which era a server speaks. @default one for the process; false for none */
  readonly eras?: EraCache | false
  /** @default the system's */
  readonly clock?: Clock
}

/** Options of one request. */
export interface RequestOptions {
  /** Aborting it ends the request, tells the server, and rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** @default the client's `timeoutMs` */
  readonly timeoutMs?: number
  /** @default the client's `maxTotalMs` */
  readonly maxTotalMs?: number
  /** Asks the server for progress; every report begins `timeoutMs` anew. */
  readonly onProgress?: (progress: Progress) => void
  /** Goes with the request. Keys of your own carry a prefix. */
  readonly _meta?: JsonObject
}

export type { Progress }

export const DEFAULTS = {
  timeoutMs: 60_000,
  maxTotalMs: 300_000,
  connectTimeoutMs: 60_000,
  probeTimeoutMs: 3_000,
  answerTimeoutMs: 600_000,
  maxRounds: 8,
  maxPages: 64,
  maxItems: 10_000,
} as const
