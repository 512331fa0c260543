import type { ClientEvents } from '../client/events.ts'

/** One of a server's lists. */
export type ListName = 'tools' | 'prompts' | 'resources' | 'resourceTemplates'

/** The events of a `ClientManager`, and the values that their listeners receive. */
export interface ManagerEvents {
  /** A server was connected by `connect` or `connectAll`. */
  readonly connected: { readonly server: string }
  /**
   * A connection was lost. An attempt to reconnect will begin after this delay. Attempts are counted from 1.
   */
  readonly reconnecting: {
    readonly server: string
    readonly attempt: number
    readonly maxAttempts: number
  }
  readonly reconnected: { readonly server: string; readonly attempt: number }
  /** An attempt has failed. Other attempts may follow. */
  readonly reconnectFailed: { readonly server: string; readonly attempt: number; readonly error: Error }
  /**
   * The manager has given up reconnecting to a lost server. The event is not emitted for servers that the
   * host closes.
   */
  readonly serverRemoved: { readonly server: string; readonly reason: string }
  /** A list has changed. It will be fetched again on demand. */
  readonly listChanged: { readonly server: string; readonly list: ListName }
  /** A list could not be fetched. The previous list remains in use. */
  readonly listFailed: { readonly server: string; readonly list: ListName; readonly error: Error }
  /** A resource with a subscription has changed. */
  readonly resourceUpdated: { readonly server: string; readonly uri: string }
  readonly log: { readonly server: string } & ClientEvents['log']
  /**
   * A line that a process wrote to stderr. Emitted only if the server's configuration does not set `stderr`.
   */
  readonly stderr: { readonly server: string; readonly line: string }
  /**
   * A failure that no call can report: an invalid message, a failed handler or listener, or a connection that
   * did not close cleanly. `server` is undefined for a failed listener.
   */
  readonly error: { readonly server?: string; readonly error: Error }
}

/** An event listener. If it throws or rejects, the error is emitted as an `error` event. */
export type ManagerListener<E extends keyof ManagerEvents> = (event: ManagerEvents[E]) => void | Promise<void>

export type Emit = <E extends keyof ManagerEvents>(event: E, value: ManagerEvents[E]) => void
