import type { Child } from './process/child.ts'

/** The side of `jetway dev` that clients see, over stdio or HTTP. */
export interface ClientSide {
  /** Gives a new process the sessions that are open. Rejects if it cannot serve them. */
  prepare(child: Child): Promise<void>
  /** New requests go to this process. */
  use(child: Child): void
  /** Resolves when a process that is no longer used has answered its requests. */
  drained(child: Child): Promise<void>
  /** A process has ended: its requests are answered. */
  lost(child: Child): void
}
