import * as runtime from '../../src/schema-runtime.ts'
import type { SchemaCache } from '../../src/schema/cache/cache.ts'
import { renderSchemas } from '../../src/schema/cache/render.ts'
import { warm } from '../../src/schema/cache/warm.ts'
import type { WarmedSchemas } from '../../src/schema-cache.ts'
import type { AnySchema, CompiledOutput, SchemaSite } from '../../src/schema/types.ts'
import { createCachedEngine } from '../../src/schema/cache/cached-engine.ts'

/** What importing the written module gives. */
export async function cacheOf(warmed: WarmedSchemas): Promise<SchemaCache> {
  const text = await renderSchemas(warmed)
  const body = text
    .replace(/^import \{ (.*) \} from '@jetway\/core\/schema-runtime'$/m, 'const { $1 } = runtime')
    .replace('export default', 'return')
  // eslint-disable-next-line typescript/no-implied-eval -- the code under test is text
  return new Function('runtime', body)(runtime) as SchemaCache
}

/** A result's schema, from a cache that has been written and read. */
export async function cachedOutput(schema: AnySchema): Promise<CompiledOutput> {
  const site: SchemaSite = {
    kind: 'tool',
    name: 'a',
    field: 'outputSchema',
    key: { text: 'a', chosen: false },
  }
  const cache = await cacheOf(await warm([{ schema, site, strict: false }]))
  const fail = (): never => {
    throw new Error('the cache was missed')
  }
  const engine = createCachedEngine({ cache, live: { input: fail, output: fail }, missed: fail })
  return engine.output(schema, site)
}
