import type {
  Implementation,
  JsonObject,
  JsonRpcNotification,
  LogLevel,
  Revision,
  ServerCapabilities,
} from '@jetway/core/protocol'
import type { Ask } from '../conversation/conversation.ts'

/** What a server says of itself. For display only: nothing may be decided by `info`. */
export interface ServerFacts {
  readonly info: Implementation | undefined
  readonly capabilities: ServerCapabilities
  readonly instructions: string | undefined
}

export type ListKind = 'tools' | 'prompts' | 'resources'

/** An agreed way of speaking to one server. There are two: one for each era. */
export interface Side {
  /** May be another one after a request, where the server has asked for that. */
  readonly revision: Revision
  readonly server: ServerFacts
  /** Whether the server asks by requests of its own. */
  readonly answersRequests: boolean
  /**
   * Sends a request as the revision has it, and once more where the server demands another version or a new session.
   *
   * @param headers of the tool's parameters
   */
  request(method: string, params: JsonObject | undefined, ask: Ask): Promise<JsonObject>
  setLogLevel(level: LogLevel): Promise<void>
  /** Resolves once the server has agreed to tell of this one; rejects where it does not. */
  subscribe(uri: string): Promise<void>
  unsubscribe(uri: string): Promise<void>
  /** Somebody listens to the changes of a list, or nobody does any more. */
  wantLists(kinds: ReadonlySet<ListKind>): void
  /** Takes what is of the side itself; true where nobody else needs to hear it. */
  hears(message: JsonRpcNotification): boolean
  close(): void
}
