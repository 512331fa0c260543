import {
  Client,
  ClientError,
  ConnectionClosedError,
  McpError,
  TransportError,
  type TransportFactory,
  UnsupportedRevisionError,
} from '@jetway/client'
import { REVISIONS, type RevisionDate } from '@jetway/core/protocol'
import { ownVersion } from '../../version.ts'

/** The result of connecting with some revisions. */
export type Try =
  | { readonly kind: 'answered'; readonly version: string | undefined }
  /** `unexpected` means that the error is not a valid refusal of an unknown revision. */
  | { readonly kind: 'failed'; readonly error: unknown; readonly unexpected: boolean }

/** @param revisions - the revisions to offer; undefined for all, so that the client negotiates */
export async function tryRevisions(
  target: TransportFactory,
  revisions: readonly RevisionDate[] | undefined,
  timeoutMs: number,
): Promise<Try> {
  const client = new Client(
    { name: 'jetway-doctor', version: ownVersion() },
    { eras: false, connectTimeoutMs: timeoutMs, timeoutMs, ...(revisions !== undefined && { revisions }) },
  )
  try {
    const { server } = await client.connect(target)
    return { kind: 'answered', version: server?.protocolVersion }
  } catch (error) {
    return { kind: 'failed', error, unexpected: !isRefusal(error, revisions) }
  } finally {
    await client.close()
  }
}

function isRefusal(error: unknown, revisions: readonly RevisionDate[] | undefined): boolean {
  if (error instanceof UnsupportedRevisionError || error instanceof McpError) return true
  if (!(error instanceof TransportError) || error.status === undefined) return false
  // Some servers with sessions respond to an unknown method with 500.
  const modern = REVISIONS.some(
    ({ version, era }) => era === 'modern' && revisions?.includes(version) === true,
  )
  return modern || error.status < 500
}

export const NEEDS_TOKEN = 'the server needs authorization: give a token with --bearer-env NAME'

export function needsAuthorization(error: unknown): boolean {
  const cause = error instanceof ConnectionClosedError ? error.cause : error
  return cause instanceof TransportError && (cause.status === 401 || cause.authFailed)
}

/** Describes an error without its stack. The client's error messages contain no secrets. */
export function describeError(error: unknown): string {
  if (error instanceof McpError) return `error ${error.code}: ${error.message}`
  if (error instanceof ClientError && error.code === 'timeout') return 'no answer in time'
  return error instanceof Error ? error.message : String(error)
}
