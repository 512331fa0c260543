import type {
  Implementation,
  JsonObject,
  JsonRpcNotification,
  LogLevel,
  Revision,
  ServerCapabilities,
} from '@jetway/core/protocol'
import type { ResolvedOptions } from '../options/options.ts'
import type { Connection, RequestSettings } from '../connection/connection.ts'

/** The server's description of itself. */
export interface ServerDescription {
  /** The server's name and version, for display only. */
  readonly info: Implementation | undefined
  readonly capabilities: ServerCapabilities
  /** Instructions for the model on how to use the server. */
  readonly instructions: string | undefined
}

export type ListKind = 'tools' | 'prompts' | 'resources'

export interface DialectOptions {
  readonly connection: Connection
  readonly info: Implementation
  readonly options: ResolvedOptions
  /** Aborts the handshake. */
  readonly signal: AbortSignal | undefined
  readonly onError: (error: Error) => void
  /** Called with information that the host may want to log even though it is not an error. */
  readonly onLog: (text: string) => void
  readonly onChangesMissed: () => void
}

export interface Negotiated {
  readonly revision: Revision
  readonly server: ServerDescription
}

/** A conversation with one server. There is one dialect for each era. */
export interface Dialect {
  readonly connection: Connection
  /** The revision. It may change after the server has refused a request because of its version. */
  readonly revision: Revision
  readonly server: ServerDescription
  /** Whether the server may send requests. */
  readonly acceptsRequests: boolean
  /** Sends a request, and repeats it if the server asks for another version or has lost the session. */
  request(method: string, params: JsonObject | undefined, settings: RequestSettings): Promise<JsonObject>
  setLogLevel(level: LogLevel): Promise<void>
  readonly subscriptions: Subscriptions
}

/** The subscriptions to changes. */
export interface Subscriptions {
  /** Subscribes to a resource. Rejects if the server does not accept the subscription. */
  subscribe(uri: string): Promise<void>
  unsubscribe(uri: string): Promise<void>
  /**
   * Subscribes to an extension. Absent in revisions whose sessions receive the notifications of all declared
   * extensions.
   */
  subscribeExtension?(id: string): Promise<void>
  /**
   * Sets which lists the host watches for changes. Absent in revisions whose sessions always receive list
   * changes.
   */
  watchLists?(kinds: ReadonlySet<ListKind>): void
  /** Whether a list may change without a notification. Absent if every session receives list changes. */
  missesChanges?(kind: ListKind): boolean
  /** Handles a notification. Returns true if the notification is not meant for the host. */
  handleNotification?(message: JsonRpcNotification): boolean
  close?(): void
}
