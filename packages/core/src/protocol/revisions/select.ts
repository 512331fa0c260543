import { ErrorCode, invalidRequest, isErrorOf, McpError } from '../../errors.ts'
import { headerMismatch } from '../header-text.ts'
import { isObject, type JsonObject, type JsonRpcNotification, type JsonRpcRequest } from '../jsonrpc.ts'
import { CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, Method, PROTOCOL_VERSION } from '../methods.ts'
import { ofEra } from './index.ts'
import type { Era, Revision } from './revision.ts'
import { type ClientCapabilities, type Implementation, LOG_LEVELS, type LogLevel } from '../types.ts'

/**
 * The revision assumed for a request that does not name one. See
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#protocol-version-header.
 */
const ASSUMED = '2025-03-26'

interface SelectionInput {
  /** Undefined for a batch or a response, because these have no method. */
  readonly message: JsonRpcRequest | JsonRpcNotification | undefined
  /** The value of `MCP-Protocol-Version`, on transports with headers; `null` if it is missing. */
  readonly header?: string | null | undefined
  /** The revision that the session has negotiated. */
  readonly session?: Revision | undefined
  /** The served revisions, newest first. */
  readonly served: readonly Revision[]
  /** Whether calls are accepted without `initialize`. */
  readonly stateless: boolean
}

/** How to handle one message. */
export type Selection =
  | { readonly kind: 'serve'; readonly revision: Revision; readonly meta?: undefined }
  /** The request is self-contained, so earlier requests do not matter. */
  | { readonly kind: 'serve'; readonly revision: Revision; readonly meta: RequestMeta }
  | { readonly kind: 'initialize' }
  | Refused

interface Refused {
  readonly kind: 'refuse'
  readonly error: McpError
  readonly reason:
    | 'unsupportedVersion'
    | 'missingSession'
    | 'invalidMessage'
    | 'badMetadata'
    | 'headerMismatch'
}

/**
 * Selects the revision of one message. Called for every message on every transport. No state is kept: earlier
 * messages on a connection matter only through the session.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 */
export function selectRevision(input: SelectionInput): Selection {
  const { message, header, session, served, stateless } = input
  if (message !== undefined && isStateless(message, header, served)) return selectModern(message, input)
  if (session !== undefined && header === session.version) return { kind: 'serve', revision: session }
  // The body of `initialize` determines the revision; the header applies only to later requests.
  if (session === undefined && message?.method === Method.Initialize) return { kind: 'initialize' }
  if (!hasSessions(served)) return NOT_ALONE
  if (typeof header === 'string' && find(served, 'legacy', header) === undefined) return unsupported(served)
  if (session !== undefined) return { kind: 'serve', revision: session }
  if (!stateless) return NO_SESSION
  const revision = find(served, 'legacy', header ?? ASSUMED) ?? served.at(-1)
  return revision === undefined ? unsupported(served) : { kind: 'serve', revision }
}

/**
 * Returns whether clients can open sessions. Revisions are sorted newest first, and only the older revisions
 * have sessions.
 */
export const hasSessions = (served: readonly Revision[]): boolean => served.at(-1)?.era === 'legacy'

/** Finds a requested revision. Uses a loop, because this runs for every request. */
function find(served: readonly Revision[], era: Era, version: string): Revision | undefined {
  for (const revision of served) if (revision.era === era && revision.version === version) return revision
  return undefined
}

/**
 * Returns whether a message belongs to the era in which every request carries its own metadata. Always true if
 * the server supports only this era. Always false if the server does not support it, so that clients that try
 * it first fall back.
 */
export function isStateless(
  message: JsonRpcRequest | JsonRpcNotification,
  header: string | null | undefined,
  served: readonly Revision[],
): boolean {
  if (served[0]?.era !== 'modern') return false
  // Revisions are sorted newest first, so if the last one belongs to that era, all of them do.
  if (namesVersion(message) || served.at(-1)?.era === 'modern') return true
  return typeof header === 'string' && find(served, 'modern', header) !== undefined
}

function selectModern(
  message: JsonRpcRequest | JsonRpcNotification,
  { header, served }: SelectionInput,
): Selection {
  const [newest] = served
  // Notifications need no `_meta`.
  if (newest !== undefined && !('id' in message)) return { kind: 'serve', revision: newest }
  try {
    if (message.method === Method.Initialize && !namesVersion(message)) {
      const requested = message.params?.['protocolVersion']
      throw unsupportedVersion(served, typeof requested === 'string' ? requested : '')
    }
    const meta = readRequestMeta(message as JsonRpcRequest)
    if (header !== undefined && header !== meta.version) throw headerMismatch('MCP-Protocol-Version')
    const revision = find(served, 'modern', meta.version)
    if (revision === undefined) throw unsupportedVersion(served, meta.version)
    return { kind: 'serve', revision, meta }
  } catch (error) {
    if (isErrorOf(McpError, error)) return { kind: 'refuse', reason: reasonOf(error), error }
    throw error
  }
}

function reasonOf({ code }: McpError): Refused['reason'] {
  if (code === ErrorCode.UnsupportedProtocolVersion) return 'unsupportedVersion'
  return code === ErrorCode.HeaderMismatch ? 'headerMismatch' : 'badMetadata'
}

const refuse = (reason: Refused['reason'], text: string): Refused => ({
  kind: 'refuse',
  reason,
  error: invalidRequest(text),
})

const NO_SESSION = refuse('missingSession', 'No session: send an initialize request first')
/** The refusal of a response or an array of messages, because these have neither a method nor metadata. */
const NOT_ALONE = refuse('invalidMessage', 'A message must be one request or one notification')

/**
 * Creates an error that lists the versions that the client can request in the same way, as `server/discover`
 * does. Versions with sessions are excluded, because naming one in a request would not open a session.
 */
export const unsupportedVersion = (served: readonly Revision[], requested: string): McpError =>
  new McpError(ErrorCode.UnsupportedProtocolVersion, 'Unsupported protocol version', {
    supported: versionsOf(served, 'modern'),
    requested,
  })

/**
 * Creates the message that session clients show to users. The same message makes newer clients fall back to
 * `initialize`.
 */
function unsupported(served: readonly Revision[]): Selection {
  const versions = versionsOf(served, 'legacy').join(', ')
  return refuse('unsupportedVersion', `Unsupported protocol version: this server speaks ${versions}`)
}

const versionsOf = (served: readonly Revision[], era: Era): readonly string[] =>
  ofEra(era, served).map(({ version }) => version)

/** The metadata of a stateless request, and its sender. */
interface RequestMeta {
  readonly version: string
  readonly capabilities: ClientCapabilities
  readonly client: Implementation | undefined
  /** Undefined if the sender does not want log messages. */
  readonly logLevel: LogLevel | undefined
}

/** Returns whether a message names its own protocol version, and therefore does not belong to a session. */
export const namesVersion = ({ params }: JsonRpcRequest | JsonRpcNotification): boolean => {
  const meta = params?.['_meta']
  return isObject(meta) && Object.hasOwn(meta, PROTOCOL_VERSION)
}

/**
 * Reads the metadata of a request.
 *
 * @throws McpError that names the missing or malformed member
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#meta
 */
export function readRequestMeta({ params }: JsonRpcRequest): RequestMeta {
  const meta: JsonObject = isObject(params?.['_meta']) ? params['_meta'] : {}
  const version = meta[PROTOCOL_VERSION]
  const capabilities = meta[CLIENT_CAPABILITIES]
  const client = meta[CLIENT_INFO]
  const logLevel = meta[LOG_LEVEL]
  if (typeof version !== 'string') throw malformed(`_meta["${PROTOCOL_VERSION}"] must be a string`)
  if (!isObject(capabilities)) throw malformed(`_meta["${CLIENT_CAPABILITIES}"] must be an object`)
  if (client !== undefined && !isImplementation(client))
    throw malformed(`_meta["${CLIENT_INFO}"] must be an object with a name and a version`)
  if (logLevel !== undefined && !isLogLevel(logLevel))
    throw malformed(`_meta["${LOG_LEVEL}"] must be one of ${LOG_LEVELS.join(', ')}`)
  return { version, capabilities, client, logLevel }
}

/** Creates the error for required metadata that is missing or malformed. */
const malformed = (message: string): McpError =>
  new McpError(ErrorCode.InvalidParams, message, undefined, 'malformed')

const isImplementation = (value: unknown): value is Implementation & JsonObject =>
  isObject(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string'

const isLogLevel = (value: unknown): value is LogLevel => (LOG_LEVELS as readonly unknown[]).includes(value)
