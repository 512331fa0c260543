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

/** Runs at a version, and a second time if the server's error names a shared one. */
export async function atVersion(
  revisions: readonly Revision[],
  first: Revision | undefined,
  run: (revision: Revision) => Promise<JsonObject>,
): Promise<JsonObject> {
  if (first === undefined) throw unsupported([], revisions)
  try {
    return await run(first)
  } catch (error) {
    const { code, data } = error instanceof McpError ? error : {}
    const supported: unknown = isObject(data) ? data['supported'] : undefined
    const offered = Array.isArray(supported) ? supported.filter((each) => typeof each === 'string') : []
    const shared = revisions.find(({ version }) => offered.includes(version))
    if (shared !== undefined) return await run(shared)
    throw code === ErrorCode.UnsupportedProtocolVersion ? unsupported(offered, revisions) : error
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
