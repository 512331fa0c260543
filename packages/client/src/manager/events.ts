import type { ClientEvents } from '../features/events.ts'

/** A list that a server keeps. */
export type ListName = 'tools' | 'prompts' | 'resources' | 'resourceTemplates'

/** What a manager tells its host. Each says of which server. */
export interface ManagerEvents {
  /** A server has been connected for the first time, or again after it was closed. */
  readonly mcp_connected: { readonly server: string }
  /** A connection was lost; the attempt begins after its wait. Attempts count from 1. */
  readonly mcp_reconnecting: {
    readonly server: string
    readonly attempt: number
    readonly max_attempts: number
  }
  readonly mcp_reconnected: { readonly server: string; readonly attempt: number }
  /** One attempt has failed; others may follow. */
  readonly mcp_reconnect_failed: { readonly server: string; readonly attempt: number; readonly error: Error }
  /** A server that was lost is given up for good. Once for each; not for those that the host closes. */
  readonly mcp_server_removed: { readonly server: string; readonly reason: string }
  /** A list is out of date. It is asked for when somebody next wants it. */
  readonly mcp_list_changed: { readonly server: string; readonly list: ListName }
  /** A list could not be had; the last one that could is still in use. */
  readonly mcp_list_failed: { readonly server: string; readonly list: ListName; readonly error: Error }
  /** A resource that was subscribed to has changed. */
  readonly mcp_resource_updated: { readonly server: string; readonly uri: string }
  readonly mcp_log: { readonly server: string } & ClientEvents['log']
  /** A line of a process's stderr, where its configuration does not say where that goes. */
  readonly mcp_stderr: { readonly server: string; readonly line: string }
  /**
   * Something went wrong that no call can report: what a server sent was garbage, a listener or a handler has failed, a
   * connection did not close cleanly. Without a server where it was a listener.
   */
  readonly mcp_error: { readonly server?: string; readonly error: Error }
}

/** Hears of one event. What it throws, or rejects with, becomes the event `mcp_error`. */
export type ManagerListener<E extends keyof ManagerEvents> = (event: ManagerEvents[E]) => void | Promise<void>

export type Emit = <E extends keyof ManagerEvents>(event: E, value: ManagerEvents[E]) => void
