import type { ClientEvents } from '../client/events.ts'

/** A list of a server. */
export type ListName = 'tools' | 'prompts' | 'resources' | 'resourceTemplates'

/** The events of a `ClientManager`, and what their listeners receive. */
export interface ManagerEvents {
  /** A server has been connected by `connect` or `connectAll`. */
  readonly connected: { readonly server: string }
  /** A connection was lost, and an attempt to reconnect begins after its delay. Attempts are counted from 1. */
  readonly reconnecting: {
    readonly server: string
    readonly attempt: number
    readonly maxAttempts: number
  }
  readonly reconnected: { readonly server: string; readonly attempt: number }
  /** One attempt has failed. Others may follow. */
  readonly reconnectFailed: { readonly server: string; readonly attempt: number; readonly error: Error }
  /**
   * The manager has given up reconnecting a lost server. This is not emitted for servers that the host
   * closes.
   */
  readonly serverRemoved: { readonly server: string; readonly reason: string }
  /** A list has changed. It is fetched again on demand. */
  readonly listChanged: { readonly server: string; readonly list: ListName }
  /** A list could not be fetched. The last list stays in use. */
  readonly listFailed: { readonly server: string; readonly list: ListName; readonly error: Error }
  /** A resource with a subscription has changed. */
  readonly resourceUpdated: { readonly server: string; readonly uri: string }
  readonly log: { readonly server: string } & ClientEvents['log']
  /** A line that a process wrote to stderr, if its configuration does not set `stderr`. */
  readonly stderr: { readonly server: string; readonly line: string }
  /**
   * A failure that no call can report: an invalid message, a failed handler or listener, a connection that
   * did not close cleanly. `server` is undefined for a failed listener.
   */
  readonly error: { readonly server?: string; readonly error: Error }
}

/** A listener. If it throws or rejects, the error is emitted as the `error` event. */
export type ManagerListener<E extends keyof ManagerEvents> = (event: ManagerEvents[E]) => void | Promise<void>

export type Emit = <E extends keyof ManagerEvents>(event: E, value: ManagerEvents[E]) => void
