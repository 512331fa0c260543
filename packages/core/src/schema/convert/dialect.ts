import type { JsonSchema } from '../types.ts'

export type Dialect = 'draft-2020-12' | 'draft-2019-09' | 'draft-07'

/** For schemas without `$schema`: https://modelcontextprotocol.io/specification/2025-11-25/basic#json-schema-usage */
const DEFAULT_DIALECT: Dialect = 'draft-2020-12'

const BY_URI: ReadonlyMap<string, Dialect> = new Map([
  ['json-schema.org/draft/2020-12/schema', 'draft-2020-12'],
  ['json-schema.org/draft/2019-09/schema', 'draft-2019-09'],
  ['json-schema.org/draft-07/schema', 'draft-07'],
])

/** @throws Error for a dialect that is not served; nothing is said about what such a schema means */
export function dialectOf(schema: JsonSchema): Dialect {
  const uri = Object.hasOwn(schema, '$schema') ? schema['$schema'] : undefined
  if (uri === undefined) return DEFAULT_DIALECT
  const dialect =
    typeof uri === 'string' ? BY_URI.get(uri.replace(/^https?:\/\//, '').replace(/#$/, '')) : undefined
  if (dialect !== undefined) return dialect
  throw new Error(
    `the dialect ${JSON.stringify(uri)} is not supported; leave "$schema" out for 2020-12, or name 2020-12, 2019-09 or draft-07`,
  )
}
