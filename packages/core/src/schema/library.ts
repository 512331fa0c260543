import type { Recognised } from './convert/recognise.ts'

/** The library of a schema and, where the schema says it, its version: what is cached of one is not used for another. */
export function libraryOf(recognised: Recognised): string {
  if (recognised.kind === 'json') return 'json-schema'
  const { schema, zod } = recognised
  const version = zod?._zod.version
  const { vendor } = schema['~standard']
  if (version !== undefined) return `zod ${version.major}.${version.minor}.${version.patch}`
  return zod === undefined ? vendor : `${vendor} 3`
}
