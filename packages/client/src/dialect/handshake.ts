import {
  ErrorCode,
  type Implementation,
  isObject,
  type JsonObject,
  McpError,
  type Revision,
} from '@jetway/core/protocol'
import { UnsupportedRevisionError } from '../errors.ts'
import type { ServerDescription } from './dialect.ts'

export function describeServer({ capabilities, serverInfo, instructions }: JsonObject): ServerDescription {
  return {
    info: readInfo(serverInfo),
    capabilities: isObject(capabilities) ? capabilities : {},
    instructions: typeof instructions === 'string' ? instructions : undefined,
  }
}

export function readInfo(info: unknown): Implementation | undefined {
  return isObject(info) && typeof info['name'] === 'string' ? (info as unknown as Implementation) : undefined
}

/**
 * Runs a request. If it fails with an error that names a version supported by both sides, repeats the request
 * with that version. If `code` is given, the error must have that code.
 */
export async function atVersion(
  revisions: readonly Revision[],
  first: Revision | undefined,
  run: (revision: Revision) => Promise<JsonObject>,
  code?: number,
): Promise<JsonObject> {
  if (first === undefined) throw unsupported([], revisions)
  try {
    return await run(first)
  } catch (error) {
    if (!(error instanceof McpError) || (code !== undefined && error.code !== code)) throw error
    const supported: unknown = isObject(error.data) ? error.data['supported'] : undefined
    const offered = Array.isArray(supported) ? supported.filter((each) => typeof each === 'string') : []
    const shared = revisions.find(({ version }) => offered.includes(version))
    if (shared !== undefined) return await run(shared)
    throw error.code === ErrorCode.UnsupportedProtocolVersion ? unsupported(offered, revisions) : error
  }
}

export function unsupported(
  offered: readonly string[],
  revisions: readonly Revision[],
): UnsupportedRevisionError {
  const theirs = offered.length === 0 ? 'no known version' : offered.slice(0, 8).join(', ')
  const ours = revisions.map(({ version }) => version).join(', ')
  return new UnsupportedRevisionError(
    `No common protocol version: the server speaks ${theirs}, this client ${ours || 'none of that era'}`,
    offered,
  )
}
