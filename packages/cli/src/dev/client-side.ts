import type { Child } from './process/child.ts'

/** The parts of a server process that a relay needs. */
export type ServedProcess = Pick<Child, 'generation' | 'port' | 'ended' | 'lines'>

/** A relay between clients and server processes, over stdio or HTTP. */
export interface ClientSide {
  /** Opens the current sessions in a new process. Rejects if the process cannot serve them. */
  prepare(child: ServedProcess): Promise<void>
  /** Sends new requests to this process. */
  use(child: ServedProcess): void
  /** Resolves when a replaced process has responded to all its requests. */
  drained(child: ServedProcess): Promise<void>
  /** Responds to the requests of a process that has exited. */
  lost(child: ServedProcess): void
}
