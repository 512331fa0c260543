import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { UsageError } from '@jetway/core'
import { emptyCache, isIntact, isSchemaCache, type SchemaCache } from '@jetway/core/schema-cache'

/** Options of {@link readSchemas}. */
export interface ReadSchemasOptions {
  /** Hears why there is no cache. @default a line on stderr */
  readonly onError?: (error: unknown) => void
}

/**
 * Reads the cache that `jetway schemas build` has written into a folder, for the option `schemas` of `McpServer`, and
 * holds its file to the digest in its first line. A cache that is imported, or part of a bundle, is not held to it.
 *
 * @throws UsageError `ERR_MCP_SCHEMA_CACHE` where there is no cache, or it is not as it was written
 */
export async function readSchemas(folder: string): Promise<SchemaCache> {
  const path = resolve(join(folder, 'index.js'))
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw fault(`There is no schema cache at ${path} that can be read`, cause)
  })
  if (!(await isIntact(text))) throw fault(`The schema cache at ${path} is not as it was written`)
  // Read anew where it has changed since this process last did.
  const version = text.slice(0, text.indexOf('\n')).slice(-64)
  const module = (await import(`${pathToFileURL(path).href}?${version}`).catch((cause: unknown) => {
    throw fault(`The schema cache at ${path} cannot be loaded`, cause)
  })) as { default?: unknown }
  if (isSchemaCache(module.default)) return module.default
  throw fault(`The module at ${path} is no schema cache`)
}

/** Like {@link readSchemas}, but gives an empty cache where that throws: everything is then prepared at start. */
export async function readSchemasOrEmpty(
  folder: string,
  { onError = tell }: ReadSchemasOptions = {},
): Promise<SchemaCache> {
  try {
    return await readSchemas(folder)
  } catch (error) {
    onError(error)
    return emptyCache
  }
}

const tell = (error: unknown): void =>
  console.error(`[jetway] warn: ${error instanceof Error ? error.message : String(error)}`)

const fault = (problem: string, cause?: unknown): UsageError =>
  new UsageError('ERR_MCP_SCHEMA_CACHE', `${problem}; run "npx jetway schemas build"`, { cause })
