import {
  CLIENT_CAPABILITIES,
  CLIENT_INFO,
  encodeHeaderText,
  ErrorCode,
  isObject,
  type JsonObject,
  LOG_LEVEL,
  type LogLevel,
  Method,
  PROTOCOL_VERSION,
  type Revision,
  SERVER_INFO,
} from '@jetway/core/protocol'
import type { Connection, RequestSettings } from '../connection/connection.ts'
import { invalidResponse } from '../errors.ts'
import { capabilitiesFor } from './capabilities.ts'
import type { Dialect, DialectOptions, Negotiated, ServerDescription } from './dialect.ts'
import { atVersion, describeServer, readInfo, unsupported } from './handshake.ts'
import { SubscriptionStream } from './subscription-stream.ts'

/**
 * Sends `server/discover`.
 *
 * @param revisions - newest first
 * @param onShared - called with a response that names a shared version, before any later message is read
 * @throws UnsupportedRevisionError if no version is shared
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/discover
 */
export async function discover(
  options: DialectOptions,
  revisions: readonly Revision[],
  onShared: () => void,
): Promise<Negotiated> {
  const { connection, signal } = options
  const shared = ({ supportedVersions: offered }: JsonObject): Revision | undefined =>
    Array.isArray(offered) ? revisions.find(({ version }) => offered.includes(version)) : undefined
  const result = await atVersion(revisions, revisions[0], async (revision) => {
    connection.revision = revision
    const params = { _meta: metaFor(revision, options, undefined) }
    const response = await connection.request(Method.Discover, params, {
      timeoutMs: options.options.timeoutMs,
      signal,
      uncancellable: true,
      headers: headersFor(connection, Method.Discover, {}),
    })
    if (shared(response) !== undefined) onShared()
    return response
  })
  const { supportedVersions: offered, _meta: meta } = result
  if (!Array.isArray(offered) || !offered.every((each) => typeof each === 'string'))
    throw invalidResponse(Method.Discover, 'supportedVersions is not a list of strings')
  const revision = shared(result)
  if (revision === undefined) throw unsupported(offered, revisions)
  const server = describeServer(result)
  const info = isObject(meta) ? readInfo(meta[SERVER_INFO]) : undefined
  return { revision, server: { ...server, info: info ?? server.info } }
}

function metaFor(revision: Revision, { info, options }: DialectOptions, level?: LogLevel): JsonObject {
  return {
    [PROTOCOL_VERSION]: revision.version,
    [CLIENT_CAPABILITIES]: capabilitiesFor(revision, options),
    [CLIENT_INFO]: revision.project('implementation', info),
    ...(level !== undefined && { [LOG_LEVEL]: level }),
  }
}

/** The parameters that `Mcp-Name` may repeat. A method has at most one of these parameters. */
const NAMED_BY = ['name', 'uri', 'taskId'] as const

/** https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#standard-request-headers */
function headersFor(
  { transport }: Connection,
  method: string,
  params: JsonObject,
  more: RequestSettings['headers'] = {},
): RequestSettings['headers'] {
  if (!transport.streamPerRequest) return undefined
  const name = NAMED_BY.map((member) => params[member]).find((value) => typeof value === 'string')
  const named = name === undefined ? {} : { 'Mcp-Name': encodeHeaderText(name) }
  return { 'Mcp-Method': encodeHeaderText(method), ...named, ...more }
}

/** Communicates with servers without sessions: every request names the client and the version. */
export class ModernDialect implements Dialect {
  readonly acceptsRequests = false
  readonly connection: Connection
  readonly server: ServerDescription
  readonly subscriptions: SubscriptionStream
  readonly #revisions: readonly Revision[]
  readonly #options: DialectOptions
  #revision: Revision
  #level: LogLevel | undefined

  constructor(options: DialectOptions, revisions: readonly Revision[], { revision, server }: Negotiated) {
    const { connection } = options
    this.connection = connection
    this.#revisions = revisions
    this.#options = options
    this.#revision = revision
    this.server = server
    this.subscriptions = new SubscriptionStream(options, server.capabilities, (params, settings) =>
      this.request(Method.Listen, params, settings),
    )
    connection.negotiated(revision)
  }

  get revision(): Revision {
    return this.#revision
  }

  request(method: string, params: JsonObject = {}, settings: RequestSettings): Promise<JsonObject> {
    const { _meta: own } = params
    const headers = headersFor(this.connection, method, params, settings.headers)
    const run = (revision: Revision): Promise<JsonObject> => {
      this.#revision = this.connection.revision = revision
      const meta = { ...(isObject(own) ? own : {}), ...metaFor(revision, this.#options, this.#level) }
      return this.connection.request(method, { ...params, _meta: meta }, { ...settings, headers })
    }
    return atVersion(this.#revisions, this.#revision, run, ErrorCode.UnsupportedProtocolVersion)
  }

  /** Sets the level. Every later request contains it. */
  async setLogLevel(level: LogLevel): Promise<void> {
    this.#level = level
  }
}
