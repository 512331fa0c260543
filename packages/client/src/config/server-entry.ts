import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { isObject, type JsonObject } from '@jetway/core/protocol'
import { readTextFile } from './config-file.ts'
import { transportFor } from './connect.ts'
import type { ServerConfig, StdioServer } from './server-config.ts'
import { EntryError, type Place } from './variables.ts'

export interface EntryContext {
  /** Replaces variables in a string. @throws EntryError */
  readonly expand: (text: string, place: Place) => Promise<string>
  /** The directory to which relative paths refer. */
  readonly workspaceFolder: string
  /** The directory of processes without `cwd`; undefined for the current directory. */
  readonly cwd: string | undefined
  readonly maxBytes: number
}

export interface ReadEntry {
  readonly config: ServerConfig
  readonly unused: readonly string[]
}

const TRANSPORTS: ReadonlyMap<unknown, 'stdio' | 'http' | 'sse'> = new Map([
  ['stdio', 'stdio'],
  ['local', 'stdio'],
  ['http', 'http'],
  ['streamable-http', 'http'],
  ['streamableHttp', 'http'],
  ['sse', 'sse'],
])

const OF_ALL: readonly string[] = ['type', 'transport', 'disabled', 'enabled']
const OF_PROCESSES: readonly string[] = [...OF_ALL, 'command', 'args', 'env', 'envFile', 'cwd']
const OF_ADDRESSES: readonly string[] = [...OF_ALL, 'url', 'headers']

export const isDisabled = (entry: JsonObject): boolean =>
  entry['disabled'] === true || entry['enabled'] === false

/** Reads a server's entry. @throws EntryError */
export async function readEntry(entry: JsonObject, context: EntryContext): Promise<ReadEntry> {
  const transport = transportOf(entry)
  const known = transport === 'stdio' ? OF_PROCESSES : OF_ADDRESSES
  const config =
    transport === 'stdio' ? await readProcess(entry, context) : await readAddress(entry, transport, context)
  try {
    transportFor(config)
  } catch (error) {
    throw new EntryError(
      transport === 'stdio' ? 'command' : 'url',
      `cannot be used: ${(error as Error).message}`,
    )
  }
  return { config, unused: Object.keys(entry).filter((field) => !known.includes(field)) }
}

function transportOf(entry: JsonObject): 'stdio' | 'http' | 'sse' {
  const named = entry['type'] ?? entry['transport']
  if (entry['command'] !== undefined && entry['url'] !== undefined)
    throw new EntryError('url', 'cannot be combined with command: set one of them')
  if (named === undefined) return entry['url'] === undefined ? 'stdio' : 'http'
  const transport = TRANSPORTS.get(named)
  if (transport === undefined) throw new EntryError('type', 'must be stdio, http or sse')
  return transport
}

async function readProcess(entry: JsonObject, context: EntryContext): Promise<StdioServer> {
  // The user expects a sandbox, which this client does not provide.
  if (entry['sandboxEnabled'] === true)
    throw new EntryError('sandboxEnabled', 'is not supported: there is no sandbox')
  const own = new Set(Object.keys(isObject(entry['env']) ? entry['env'] : {}))
  const text = (value: unknown, field: string): Promise<string> => readText(value, { field, own }, context)
  if (entry['command'] === undefined) throw new EntryError('command', 'is missing: set command or url')
  const command = await text(entry['command'], 'command')
  const args = await inOrder(readList(entry['args'], 'args'), (arg) => text(arg, 'args'))
  const folder = context.workspaceFolder
  const cwd = entry['cwd'] === undefined ? context.cwd : resolve(folder, await text(entry['cwd'], 'cwd'))
  const env = {
    ...(entry['envFile'] !== undefined &&
      (await readEnvFile(resolve(folder, await text(entry['envFile'], 'envFile')), context.maxBytes))),
    ...(await readTexts(entry['env'], 'env', context)),
  }
  return { transport: 'stdio', command, args, env, ...(cwd !== undefined && { cwd }) }
}

async function readAddress(entry: JsonObject, transport: 'http' | 'sse', context: EntryContext) {
  if (entry['url'] === undefined) throw new EntryError('url', 'is missing')
  const url = await readText(entry['url'], { field: 'url', own: NONE }, context)
  const headers = await readTexts(entry['headers'], 'headers', context)
  checkHeaders(headers)
  return { transport, url, headers }
}

const NONE: ReadonlySet<string> = new Set()

/** Checks headers without using the error thrown by `Headers`, which contains the value. */
function checkHeaders(headers: Readonly<Record<string, string>>): void {
  const sendable = new Headers()
  for (const [name, value] of Object.entries(headers))
    try {
      sendable.set(name, value)
    } catch {
      throw new EntryError(
        'headers',
        `cannot be sent: the header ${JSON.stringify(name)} has characters that are not allowed`,
      )
    }
}

/**
 * Reads an object of strings. Numbers and booleans become strings, and null removes the name, as in VS Code.
 */
async function readTexts(value: unknown, field: 'env' | 'headers', context: EntryContext) {
  if (value === undefined) return {}
  if (!isObject(value)) throw new EntryError(field, 'must be an object of strings')
  const given = Object.entries(value).filter(([, each]) => each !== null)
  return Object.fromEntries(
    await inOrder(given, async ([name, each]) => [
      name,
      await readText(each, { field: `${field}.${name}`, own: NONE }, context),
    ]),
  )
}

async function readText(value: unknown, place: Place, { expand }: EntryContext): Promise<string> {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') throw new EntryError(place.field, 'must be a string')
  return expand(value, place)
}

function readList(value: unknown, field: string): readonly unknown[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw new EntryError(field, 'must be a list of strings')
  return value
}

/** Reads values one after another, because each may ask the user. */
async function inOrder<T, R>(values: readonly T[], read: (value: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (const value of values) results.push(await read(value))
  return results
}

async function readEnvFile(file: string, maxBytes: number): Promise<Readonly<Record<string, string>>> {
  try {
    return parseEnv(await readTextFile(file, maxBytes)) as Record<string, string>
  } catch (error) {
    throw new EntryError('envFile', `cannot be used: ${(error as Error).message}`)
  }
}
