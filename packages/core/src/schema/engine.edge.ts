import { usageError } from '../errors.ts'
import type * as whole from './engine.ts'
import { describeSite } from './convert/recognise.ts'
import type { SchemaSite } from './types.ts'

/** Converts and compiles nothing: what a server has must come from its cache. */
export const createSchemaEngine: typeof whole.createSchemaEngine = () => {
  const refuse = (_: unknown, site: SchemaSite): never => {
    throw usageError('ERR_MCP_SCHEMA_COMPILE', `${describeSite(site)} ${WHY}`)
  }
  return { input: refuse, output: refuse }
}

const WHY =
  'is not in the schema cache as it is, and nothing is compiled under the condition "jetway-edge"; run "npx jetway schemas build" on the file of the server, and give the server what it writes as the option "schemas"'
