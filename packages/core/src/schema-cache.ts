import type { CacheFault } from './schema/cache/check-cache.ts'
import { compareCache } from './schema/cache/check-cache.ts'
import type { SchemaCache } from './schema/cache/cache.ts'
import { warm, type WarmedSchemas } from './schema/cache/warm.ts'
import type { McpServer } from './server/mcp-server.ts'

export type { CachedSchema, MakeValidator, SchemaCache } from './schema/cache/cache.ts'
export { emptyCache, isSchemaCache } from './schema/cache/cache.ts'
export type { CacheFault } from './schema/cache/check-cache.ts'
export { type CacheOrigin, isIntact, originOf, renderSchemas, SCHEMAS_TYPES } from './schema/cache/render.ts'
export type { WarmedSchema, WarmedSchemas } from './schema/cache/warm.ts'

/**
 * The published JSON Schema and the validator code of every tool and prompt of a server, as data: what a schema cache is
 * made of. It is made anew whatever cache the server itself has. There is code for what JSON Schema checks: results, and
 * arguments that are given as JSON Schema or closed by `strictInput`; other arguments are checked by their own library.
 *
 * @throws what `addTool` and `addPrompt` throw for schemas; `ERR_MCP_SCHEMA_CACHE` for one `schemaKey` of two different
 *   schemas, `ERR_MCP_SCHEMA_COMPILE` where ajv cannot be loaded
 */
export function warmSchemas<Locals, App>(server: McpServer<Locals, App>): Promise<WarmedSchemas> {
  return warm(server.runtime.schemaUses())
}

/**
 * What of a cache is not as it would be made now: a schema has changed, is missing or is no longer there, or another
 * version has made it. Empty for one that is in order. Converts and compiles every schema.
 */
export async function checkSchemas<Locals, App>(
  server: McpServer<Locals, App>,
  cache: SchemaCache,
): Promise<readonly CacheFault[]> {
  return compareCache(cache, await warmSchemas(server))
}
