import type { JsonSchema } from './types.ts'

/** The supported drafts of JSON Schema. */
export type Dialect = 'draft-2020-12' | 'draft-2019-09' | 'draft-07'

const DEFAULT_DIALECT: Dialect = 'draft-2020-12'

const BY_URI: ReadonlyMap<string, Dialect> = new Map([
  ['json-schema.org/draft/2020-12/schema', 'draft-2020-12'],
  ['json-schema.org/draft/2019-09/schema', 'draft-2019-09'],
  ['json-schema.org/draft-07/schema', 'draft-07'],
])

/**
 * Returns the dialect named by `$schema`, or 2020-12 if there is no `$schema`.
 *
 * @throws Error for any other dialect
 */
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
