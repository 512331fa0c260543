import { writeFileSync } from 'node:fs'
import { renderSchemas, warmSchemas } from '@jetway/core/schema-cache'
import { SCHEMAS } from './serving/cached-schemas.ts'
import { createServer } from './serving/jetway.ts'

/** Writes the schema cache of a server of so many tools; servers of fewer take it as well. */
export async function writeSchemaCache(tools: number): Promise<void> {
  writeFileSync(SCHEMAS, await renderSchemas(await warmSchemas(createServer(tools))))
}
