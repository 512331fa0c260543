import { formatOf } from '../../formats/format-of.ts'
import { type FormatName, isObject } from '../../formats/format.ts'
import type { Host } from '../../hosts/host.ts'
import { readRegularFile } from '../../regular-file.ts'

/** The keys under which hosts store their servers. */
const KEYS = ['mcpServers', 'servers', 'context_servers', 'mcp_servers', 'extensions']

/** Reads and parses a host's file. @throws SyntaxError with a line and a column, or the error of `readFile` */
export async function readContent(host: Host, file: string): Promise<unknown> {
  const text = readText(file)
  if (host.strictJson === true) {
    const { checkStrict } = await import('../../formats/json-scan.ts')
    checkStrict(text)
  }
  return (await formatOf(host.format)).parse(text)
}

/** Reads a file that may have a different syntax. Returns undefined if it is missing or invalid. */
export async function readOther(file: string, format: FormatName): Promise<unknown> {
  try {
    return (await formatOf(format)).parse(readText(file))
  } catch {
    return undefined
  }
}

function readText(file: string): string {
  const text = readRegularFile(file).toString()
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}

/** Returns the names of servers in each member that looks like a list of servers. */
export function serverLists(content: unknown): ReadonlyMap<string, readonly string[]> {
  if (!isObject(content)) return new Map()
  const lists = KEYS.map((key) => [key, namesOf(content[key])] as const)
  return new Map(lists.filter(([, names]) => names.length > 0))
}

const namesOf = (list: unknown): readonly string[] =>
  isObject(list) ? Object.entries(list).flatMap(([name, entry]) => (isServer(entry) ? [name] : [])) : []

/** Returns whether an entry looks like a server, because other programs use the same member names. */
const isServer = (entry: unknown): boolean =>
  isObject(entry) &&
  ['command', 'cmd', 'url', 'uri', 'serverUrl', 'httpUrl'].some((member) => typeof entry[member] === 'string')
