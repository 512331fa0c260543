import { ErrorCode, McpError } from '../../errors.ts'
import type { JsonRpcNotification, JsonRpcRequest } from '../jsonrpc.ts'
import { Method } from '../methods.ts'
import type { Revision } from './revision.ts'

/** What a revision is assumed where nothing names one: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#protocol-version-header */
const ASSUMED = '2025-03-26'

export interface SelectionInput {
  /** Undefined for a batch or a response, which name no method. */
  readonly message: JsonRpcRequest | JsonRpcNotification | undefined
  /** The value of `MCP-Protocol-Version`, on transports that have headers. */
  readonly header?: string | undefined
  /** The revision that the live session has negotiated. */
  readonly session?: Revision | undefined
  readonly served: readonly Revision[]
  /** Without sessions a call may come with no handshake before it. */
  readonly stateless: boolean
}

/** How one message is to be taken. */
export type Selection =
  | { readonly kind: 'serve'; readonly revision: Revision }
  | { readonly kind: 'initialize' }
  | {
      readonly kind: 'refuse'
      readonly error: McpError
      readonly reason: 'unsupportedVersion' | 'missingSession'
    }

/**
 * Chooses the revision of one message. It is asked for every message, on every transport, and remembers nothing:
 * what came before on a connection counts only through the session.
 */
export function selectRevision({ message, header, session, served, stateless }: SelectionInput): Selection {
  if (session !== undefined && header === session.version) return { kind: 'serve', revision: session }
  // Its body negotiates; the header is for what comes after it.
  if (session === undefined && message?.method === Method.Initialize) return { kind: 'initialize' }
  if (header !== undefined && served.every((revision) => revision.version !== header))
    return unsupported(served)
  if (session !== undefined) return { kind: 'serve', revision: session }
  if (!stateless) return NO_SESSION
  const revision = served.find(({ version }) => version === (header ?? ASSUMED)) ?? served.at(-1)
  return revision === undefined ? unsupported(served) : { kind: 'serve', revision }
}

const NO_SESSION: Selection = {
  kind: 'refuse',
  reason: 'missingSession',
  error: new McpError(ErrorCode.InvalidRequest, 'No session: send an initialize request first'),
}

function unsupported(served: readonly Revision[]): Selection {
  const versions = served.map((revision) => revision.version).join(', ')
  const error = new McpError(
    ErrorCode.InvalidRequest,
    `Unsupported protocol version: this server speaks ${versions}`,
  )
  return { kind: 'refuse', reason: 'unsupportedVersion', error }
}
