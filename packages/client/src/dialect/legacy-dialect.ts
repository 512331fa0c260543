import { type JsonObject, type LogLevel, Method, Notification, type Revision } from '@jetway/core/protocol'
import type { Connection, RequestSettings } from '../connection/connection.ts'
import { SessionLostError } from '../errors.ts'
import { capabilitiesFor } from './capabilities.ts'
import type { Dialect, DialectOptions, Negotiated, ServerDescription, Subscriptions } from './dialect.ts'
import { atVersion, describeServer, unsupported } from './handshake.ts'

/** The maximum number of subscriptions. All of them are sent again if the server has lost the session. */
const MAX_SUBSCRIPTIONS = 1024

/**
 * Opens a session.
 *
 * @throws UnsupportedRevisionError if the server responds with an unsupported revision
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
 */
export async function openSession(options: DialectOptions, revisions: readonly Revision[]): Promise<Dialect> {
  return new LegacyDialect(options, revisions, await initialize(options, revisions))
}

async function initialize(options: DialectOptions, revisions: readonly Revision[]): Promise<Negotiated> {
  const { connection, info, signal, options: client } = options
  connection.revision = undefined
  // Some servers respond to an unknown version with an error that lists the versions that they support.
  const result = await atVersion(revisions, revisions[0], (proposed) =>
    connection.request(
      Method.Initialize,
      {
        protocolVersion: proposed.version,
        capabilities: capabilitiesFor(proposed, client),
        clientInfo: proposed.project('implementation', info),
      },
      { timeoutMs: client.timeoutMs, signal, uncancellable: true },
    ),
  )
  signal?.throwIfAborted()
  const { protocolVersion: version } = result
  const revision = revisions.find((each) => each.version === version)
  if (revision === undefined)
    throw unsupported(typeof version === 'string' ? [version.slice(0, 64)] : [], revisions)
  connection.revision = revision
  await connection.notify(Notification.Initialized, undefined, { timeoutMs: client.timeoutMs, signal })
  connection.negotiated(revision)
  return { revision, server: describeServer(result) }
}

export class LegacyDialect implements Dialect, Subscriptions {
  readonly acceptsRequests = true
  readonly subscriptions: Subscriptions = this
  readonly connection: Connection
  readonly #revisions: readonly Revision[]
  readonly #options: DialectOptions
  readonly #uris = new Set<string>()
  #session: Negotiated
  #level: LogLevel | undefined
  #reopening: Promise<void> | undefined

  constructor(options: DialectOptions, revisions: readonly Revision[], session: Negotiated) {
    this.connection = options.connection
    this.#revisions = revisions
    this.#options = { ...options, signal: undefined }
    this.#session = session
  }

  get revision(): Revision {
    return this.#session.revision
  }

  get server(): ServerDescription {
    return this.#session.server
  }

  async request(
    method: string,
    params: JsonObject | undefined,
    settings: RequestSettings,
  ): Promise<JsonObject> {
    await this.#reopening
    try {
      return await this.connection.request(method, params, settings)
    } catch (error) {
      // The server has not processed the request, so it is safe to send it again.
      if (!(error instanceof SessionLostError)) throw error
      await (this.#reopening ??= this.#reopen()).catch((cause: unknown) => {
        throw new SessionLostError('The server has lost the session, and opening a new one failed', { cause })
      })
      return await this.connection.request(method, params, settings)
    }
  }

  async setLogLevel(level: LogLevel): Promise<void> {
    await this.request(Method.SetLogLevel, { level }, this.#settings())
    this.#level = level
  }

  async subscribe(uri: string): Promise<void> {
    if (this.#uris.size >= MAX_SUBSCRIPTIONS && !this.#uris.has(uri))
      throw new RangeError(`No more than ${MAX_SUBSCRIPTIONS} resource subscriptions: unsubscribe from some`)
    await this.request(Method.Subscribe, { uri }, this.#settings())
    this.#uris.add(uri)
  }

  async unsubscribe(uri: string): Promise<void> {
    this.#uris.delete(uri)
    await this.request(Method.Unsubscribe, { uri }, this.#settings())
  }

  #settings(): RequestSettings {
    return { timeoutMs: this.#options.options.timeoutMs }
  }

  async #reopen(): Promise<void> {
    try {
      const { connection } = this
      this.#session = await initialize(this.#options, this.#revisions)
      if (this.#level !== undefined)
        await connection.request(Method.SetLogLevel, { level: this.#level }, this.#settings())
      for (const uri of this.#uris) await connection.request(Method.Subscribe, { uri }, this.#settings())
    } finally {
      this.#reopening = undefined
    }
    this.#options.onChangesMissed()
  }
}
