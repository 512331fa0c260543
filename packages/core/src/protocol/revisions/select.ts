import { ErrorCode, isErrorOf, McpError } from '../../errors.ts'
import type { JsonRpcNotification, JsonRpcRequest } from '../jsonrpc.ts'
import { Method } from '../methods.ts'
import { malformed, namesVersion, readRequestMeta, type RequestMeta } from './request-meta.ts'
import type { Revision } from './revision.ts'

/** What a revision is assumed where nothing names one: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#protocol-version-header */
const ASSUMED = '2025-03-26'

export interface SelectionInput {
  /** Undefined for a batch or a response, which name no method. */
  readonly message: JsonRpcRequest | JsonRpcNotification | undefined
  /** The value of `MCP-Protocol-Version`, on transports that have headers; `null` where it was left out there. */
  readonly header?: string | null | undefined
  /** The revision that the live session has negotiated. */
  readonly session?: Revision | undefined
  /** Newest first. */
  readonly served: readonly Revision[]
  /** Without sessions a call may come with no handshake before it. */
  readonly stateless: boolean
}

/** How one message is to be taken. */
export type Selection =
  | { readonly kind: 'serve'; readonly revision: Revision; readonly meta?: undefined }
  /** The request stands for itself: nothing that came before it counts. */
  | { readonly kind: 'serve'; readonly revision: Revision; readonly meta: RequestMeta }
  | { readonly kind: 'initialize' }
  | {
      readonly kind: 'refuse'
      readonly error: McpError
      readonly reason: 'unsupportedVersion' | 'missingSession'
    }

/**
 * Chooses the revision of one message. It is asked for every message, on every transport, and remembers nothing:
 * what came before on a connection counts only through the session.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 */
export function selectRevision(input: SelectionInput): Selection {
  const { message, header, session, served, stateless } = input
  if (message !== undefined && standsAlone(message, header, served)) return selectModern(message, input)
  if (session !== undefined && header === session.version) return { kind: 'serve', revision: session }
  // Its body negotiates; the header is for what comes after it.
  if (session === undefined && message?.method === Method.Initialize) return { kind: 'initialize' }
  if (typeof header === 'string' && !served.some((it) => it.version === header && it.era === 'legacy'))
    return unsupported(served)
  if (session !== undefined) return { kind: 'serve', revision: session }
  if (!stateless) return NO_SESSION
  const sessions = served.filter(({ era }) => era === 'legacy')
  const revision = sessions.find(({ version }) => version === (header ?? ASSUMED)) ?? sessions.at(-1)
  return revision === undefined ? unsupported(served) : { kind: 'serve', revision }
}

/**
 * Whether a message is of the era in which every request carries its own metadata. Where only that era is served all
 * messages are; where it is not, none is, so that clients which try it first fall back.
 */
export function standsAlone(
  message: JsonRpcRequest | JsonRpcNotification,
  header: string | null | undefined,
  served: readonly Revision[],
): boolean {
  if (served[0]?.era !== 'modern') return false
  if (namesVersion(message) || served.at(-1)?.era === 'modern') return true
  return typeof header === 'string' && served.some((it) => it.version === header && it.era === 'modern')
}

function selectModern(
  message: JsonRpcRequest | JsonRpcNotification,
  { header, served }: SelectionInput,
): Selection {
  const supported = served.filter(({ era }) => era === 'modern')
  const [newest] = supported
  // Notifications carry no metadata that would have to be there.
  if (newest !== undefined && !('id' in message)) return { kind: 'serve', revision: newest }
  try {
    if (message.method === Method.Initialize && !namesVersion(message)) {
      const requested = message.params?.['protocolVersion']
      throw unsupportedVersion(supported, typeof requested === 'string' ? requested : '')
    }
    const meta = readRequestMeta(message as JsonRpcRequest)
    if (header !== undefined && header !== meta.version) throw headerMismatch('MCP-Protocol-Version')
    const revision = supported.find(({ version }) => version === meta.version)
    if (revision === undefined) throw unsupportedVersion(supported, meta.version)
    return { kind: 'serve', revision, meta }
  } catch (error) {
    if (isErrorOf(McpError, error)) return { kind: 'refuse', reason: 'unsupportedVersion', error }
    throw error
  }
}

/** A header that does not say what the body says, or is not there: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http */
export const headerMismatch = (name: string): McpError =>
  new McpError(ErrorCode.HeaderMismatch, `The header ${name} is missing or differs from the body`)

const NO_SESSION: Selection = {
  kind: 'refuse',
  reason: 'missingSession',
  error: new McpError(ErrorCode.InvalidRequest, 'No session: send an initialize request first'),
}

const unsupportedVersion = (served: readonly Revision[], requested: string): McpError =>
  new McpError(ErrorCode.UnsupportedProtocolVersion, 'Unsupported protocol version', {
    supported: served.map(({ version }) => version),
    requested,
  })

function unsupported(served: readonly Revision[]): Selection {
  const versions = served.filter(({ era }) => era === 'legacy').map(({ version }) => version)
  const error =
    versions.length === 0
      ? malformed('A message must be one request or notification with its own metadata')
      : new McpError(
          ErrorCode.InvalidRequest,
          `Unsupported protocol version: this server speaks ${versions.join(', ')}`,
        )
  return { kind: 'refuse', reason: 'unsupportedVersion', error }
}
