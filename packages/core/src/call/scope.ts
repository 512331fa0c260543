import { type McpError, scopeFault } from '../errors.ts'
import type { Revision } from '../protocol/revisions/revision.ts'
import type { LogLevel } from '../protocol/types.ts'
import type { AuthInfo } from '../stores/principal.ts'
import type { Awaitable } from '../util/promises.ts'
import type { ClientView, SessionView, TaskView } from './request-context.ts'
import type { Exchange } from './exchange.ts'
import type { InputContext } from './input/ask.ts'
import type { WaitUntil, WorkHost } from './wait-until.ts'
import type { Logger } from '../util/logger.ts'

interface RunningTask extends TaskView {
  setStatusMessage(message: string): void
}

/** The part of a session that its requests can access. */
export interface CallSession extends SessionView {
  readonly record: { readonly subscriptions: readonly string[] }
  /** The log level of the client; undefined if the server does not send log messages. */
  readonly logLevel: LogLevel | undefined
  /** Tools, resources and prompts that are registered only for this session. */
  readonly registry?: object | undefined
  addPendingUrls(ids: readonly string[]): void
  readonly closed: boolean
  /** Carries messages that do not belong to a request, while the client is listening. */
  readonly channel: { send(frame: string): void | Promise<void> } | undefined
  onClose(listener: (cause: 'ended' | 'released') => void): void
  /** Prevents the session from counting as idle until the returned function is called. */
  holdOpen(): () => void
  /**
   * Updates the record with a function of the current record. Resolves when other processes can see the change.
   */
  update(change: (record: RecordedSettings) => Partial<RecordedSettings>): Awaitable<void>
}

/** The members of a session's record that its client's requests can change. */
interface RecordedSettings {
  readonly logLevel?: LogLevel
  readonly subscriptions: readonly string[]
}

/** The caller of one request, as established by the transport. */
export interface Caller {
  readonly auth?: AuthInfo | undefined
  /** The owner of the bytes that wait for the caller: the principal, or the address of an anonymous caller. */
  readonly holder?: string | undefined
  /** Whether the caller is the local user on a connection without credentials. The local user has all scopes. */
  readonly local?: boolean
  readonly locals?: unknown
  /** See `RequestContext.waitUntil`. */
  readonly background?: WaitUntil | undefined
  readonly host?: WorkHost | undefined
  /** The logger for the request's calls. @default the server's logger */
  readonly logger?: Logger | undefined
  /** The host framework's id for the HTTP request, for loggers that do not add the id to their lines. */
  readonly httpRequestId?: string | number | undefined
}

/** The members of a definition that are used during a call. */
export interface CallTarget {
  /** The definition as it appears in lists. */
  readonly item?: { readonly name: string }
  /** The time limit of the call in ms. @default the server's limit */
  readonly timeoutMs?: number | undefined
  /** The maximum size of the call's result in bytes. @default the server's limit */
  readonly maxResultBytes?: number | undefined
  /** The scopes that the caller needs. @default none */
  readonly scopes?: readonly string[] | undefined
  /** Set if the definition is hidden from some callers. */
  readonly visible?: unknown
}

export interface CallScope {
  readonly revision: Revision
  readonly client: ClientView
  /** Undefined if the connection has no sessions. */
  readonly session?: CallSession
  readonly caller: Caller
  readonly exchange: Exchange
  /** The log level of a call without a session; undefined if the server does not send log messages. */
  readonly logLevel?: LogLevel | undefined
  /** Undefined if the client cannot be asked questions. */
  readonly input?: InputContext | undefined
  /** The revisions that the client can choose from, if it must choose one. */
  readonly served?: readonly Revision[] | undefined
  readonly task?: RunningTask
}

/**
 * Returns the error for a caller that lacks scopes. A local user on a connection without credentials has all
 * scopes.
 */
export function lacking(
  scopes: readonly string[] | undefined,
  { auth, local }: Caller,
): McpError | undefined {
  if (scopes === undefined || local === true) return undefined
  return scopes.every((scope) => auth?.scopes?.includes(scope)) ? undefined : scopeFault(scopes)
}
