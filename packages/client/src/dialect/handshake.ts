import {
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

/** The versions that a server lists in an error. */
export function supportedIn(error: unknown): readonly string[] {
  const data = error instanceof McpError ? error.data : undefined
  const supported: unknown = isObject(data) ? data['supported'] : undefined
  return Array.isArray(supported) ? supported.filter((each) => typeof each === 'string') : []
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
