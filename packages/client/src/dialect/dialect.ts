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
  /** For display only. */
  readonly info: Implementation | undefined
  readonly capabilities: ServerCapabilities
  /** How to use the server, written for the model. */
  readonly instructions: string | undefined
}

export type ListKind = 'tools' | 'prompts' | 'resources'

export interface DialectOptions {
  readonly connection: Connection
  readonly info: Implementation
  readonly options: ResolvedOptions
  /** Ends the handshake. */
  readonly signal: AbortSignal | undefined
  readonly onError: (error: Error) => void
  readonly onChangesMissed: () => void
}

export interface Negotiated {
  readonly revision: Revision
  readonly server: ServerDescription
}

/** How to talk to one server. There is one dialect for each era. */
export interface Dialect {
  readonly connection: Connection
  /** May change after a request that the server refused because of its version. */
  readonly revision: Revision
  readonly server: ServerDescription
  /** Whether the server may send requests. */
  readonly acceptsRequests: boolean
  /** Sends a request; a second time if the server asks for another version or has lost the session. */
  request(method: string, params: JsonObject | undefined, settings: RequestSettings): Promise<JsonObject>
  setLogLevel(level: LogLevel): Promise<void>
  readonly subscriptions: Subscriptions
}

/** Subscriptions to changes. */
export interface Subscriptions {
  /** Rejects if the server does not agree to the subscription. */
  subscribe(uri: string): Promise<void>
  unsubscribe(uri: string): Promise<void>
  /** Absent if sessions get the notifications of the extensions that they declare. */
  subscribeExtension?(id: string): Promise<void>
  /** Says which lists the host watches for changes. Absent if every session gets list changes. */
  watchLists?(kinds: ReadonlySet<ListKind>): void
  /** True if the notification is not for the host. */
  handleNotification?(message: JsonRpcNotification): boolean
  close?(): void
}
