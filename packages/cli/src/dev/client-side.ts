import type { Child } from './process/child.ts'

/** The part of a process that the side of the clients uses. */
export type ServedProcess = Pick<Child, 'generation' | 'port' | 'ended' | 'lines'>

/** The side of `jetway dev` that clients see, over stdio or HTTP. */
export interface ClientSide {
  /** Gives a new process the sessions that are open. Rejects if it cannot serve them. */
  prepare(child: ServedProcess): Promise<void>
  /** New requests go to this process. */
  use(child: ServedProcess): void
  /** Resolves when a process that is no longer used has answered its requests. */
  drained(child: ServedProcess): Promise<void>
  /** A process has ended: its requests are answered. */
  lost(child: ServedProcess): void
}
