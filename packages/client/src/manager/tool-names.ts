import type { Tool } from '@jetway/core/protocol'
import { distinctNames } from '../distinct-names.ts'

/** A tool of one of the servers. */
export interface NamedTool {
  readonly server: string
  /** By which it is called. */
  readonly name: string
  readonly tool: Tool
}

const PREFIX = 'mcp__'
const BETWEEN = '__'
/** Shorter names have no room for what tells them apart. */
const LEAST_LENGTH = 40

export const plainName = (server: string, tool: string): string => `${PREFIX}${server}${BETWEEN}${tool}`

export const isFullName = (name: string): boolean => name.startsWith(PREFIX)

/** The tool that a full name would be, if it were one of this server. */
export function toolIn(name: string, server: string): string | undefined {
  const start = `${PREFIX}${server}${BETWEEN}`
  return name.startsWith(start) ? name.slice(start.length) : undefined
}

/** @throws RangeError */
export function checkNameLength(max: number | undefined): void {
  if (max !== undefined && !(Number.isInteger(max) && max >= LEAST_LENGTH))
    throw new RangeError(`maxNameLength is a whole number from ${LEAST_LENGTH}, not ${max}`)
}

/**
 * Names for the tools of all servers: `mcp__server__tool`. Where that is no name by the host's limits, or is that of
 * another tool as well (`a__b` has `c`, and `a` has `b__c`), a digest of both tells them apart. Which tool has which name
 * depends on the tools alone, and no two have the same. Those for which there is no name are left out.
 *
 * @param maxLength where a host wants short names, of letters, digits, `_` and `-` alone
 */
export async function nameTools(
  tools: readonly Omit<NamedTool, 'name'>[],
  maxLength: number | undefined,
): Promise<readonly NamedTool[]> {
  const names = await distinctNames(
    tools.map(({ server, tool }) => ({
      name: plainName(server, tool.name),
      identity: JSON.stringify([server, tool.name]),
    })),
    maxLength,
  )
  return tools.flatMap(({ server, tool }, i) => {
    const name = names[i]
    return name === undefined ? [] : [{ server, name, tool }]
  })
}
