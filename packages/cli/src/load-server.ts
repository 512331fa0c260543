import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { McpServer } from '@jetway/core'
import type * as Tools from '@jetway/core/schema-cache'
import { Failure } from './failure.ts'

type SchemaTools = typeof Tools

/** A server, and what makes its cache, of the version of Jetway that the server itself uses. */
export interface LoadedServer {
  readonly server: McpServer
  readonly tools: SchemaTools
}

const TYPESCRIPT = new Set(['.ts', '.mts', '.cts', '.tsx'])

/** @throws Failure that says what is wrong with the file */
export async function loadServer(file: string, name: string | undefined, cwd: string): Promise<LoadedServer> {
  const path = resolve(cwd, file)
  if (!existsSync(path)) throw new Failure(`There is no file ${path}.`)
  if (TYPESCRIPT.has(extname(path))) {
    const { register } = await import('tsx/esm/api')
    register()
  }
  const exported = await importFile(path, file)
  return { server: findServer(exported, name, file), tools: await toolsOf(path) }
}

async function importFile(path: string, file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(path).href)) as Record<string, unknown>
  } catch (error) {
    const told = error instanceof Error ? (error.stack ?? error.message) : String(error)
    throw new Failure(`${file} cannot be loaded:\n\n${told}`)
  }
}

/** By what it can do: the file may have a copy of Jetway of its own. */
function isServer(value: unknown): value is McpServer {
  const { addTool, runtime } = (value ?? {}) as { addTool?: unknown; runtime?: { schemaUses?: unknown } }
  return typeof addTool === 'function' && typeof runtime?.schemaUses === 'function'
}

function findServer(
  exported: Readonly<Record<string, unknown>>,
  name: string | undefined,
  file: string,
): McpServer {
  if (name !== undefined) {
    const value = exported[name]
    if (isServer(value)) return value
    const what = name in exported ? 'is no McpServer' : 'is not there'
    throw new Failure(`${file}: the export ${JSON.stringify(name)} ${what}. ${servers(exported)}`)
  }
  if (isServer(exported['default'])) return exported['default']
  const found = new Set(Object.values(exported).filter(isServer))
  const [only] = found
  if (only !== undefined && found.size === 1) return only
  throw new Failure(
    found.size === 0
      ? `${file} exports no McpServer. Export the server itself, not a function that makes it: export const server = new McpServer(…)`
      : `${file} exports several servers; say which with --export. ${servers(exported)}`,
  )
}

function servers(exported: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(exported).filter((name) => isServer(exported[name]))
  return names.length === 0 ? 'It exports no McpServer.' : `It exports the servers ${names.join(', ')}.`
}

/** Of another version of Jetway than the server's it would be a cache that the server does not take. */
async function toolsOf(path: string): Promise<SchemaTools> {
  let found: string | undefined
  try {
    found = createRequire(path).resolve('@jetway/core/schema-cache')
  } catch {
    return import('@jetway/core/schema-cache')
  }
  return (await import(pathToFileURL(found).href)) as SchemaTools
}
