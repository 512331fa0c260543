import type { Tool } from '@jetway/core/protocol'
import { uniqueNames } from '../unique-names.ts'

/** A tool with its server, and with the full name to use in calls. */
export interface NamedTool {
  readonly server: string
  readonly name: string
  readonly tool: Tool
}

const PREFIX = 'mcp__'
/** The smallest allowed `maxNameLength`. Shorter names would leave no room for a digest. */
const MIN_LENGTH = 40

export const plainName = (server: string, tool: string): string => `${PREFIX}${server}__${tool}`

export const isFullName = (name: string): boolean => name.startsWith(PREFIX)

/** Returns the tool's own name if the full name belongs to this server. */
export function toolIn(name: string, server: string): string | undefined {
  const start = plainName(server, '')
  return name.startsWith(start) ? name.slice(start.length) : undefined
}

/** Checks a maximum length. @throws RangeError */
export function checkNameLength(max: number | undefined): void {
  if (max !== undefined && !(Number.isInteger(max) && max >= MIN_LENGTH))
    throw new RangeError(`maxNameLength must be a whole number from ${MIN_LENGTH}, and is ${max}`)
}

/**
 * Gives tools full names such as `mcp__server__tool`. A digest is added to a name that is too long or that
 * several tools share. For example, the tool `c` of the server `a__b` and the tool `b__c` of the server `a`
 * share a name. Tools without a unique name are omitted.
 */
export async function nameTools(
  tools: readonly Omit<NamedTool, 'name'>[],
  maxLength: number | undefined,
): Promise<readonly NamedTool[]> {
  const names = await uniqueNames(
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
