import type { SchemaSite } from '../../schema/types.ts'
import { invalid, type Subject } from './checks.ts'

/** What the schemas of one tool or prompt are found by in a cache. */
export interface CacheName {
  readonly text: string
  readonly chosen: boolean
}

interface Keyed {
  readonly name: string
  readonly schemaKey?: string | false
}

/** By its own key if it has one, and by its name otherwise. @throws `ERR_MCP_INVALID_DEFINITION` */
export function nameInCache(kind: string, definition: Keyed): CacheName | undefined {
  if (definition.schemaKey !== undefined) return chosenCacheName(kind, definition)
  return { text: `${kind}:${definition.name}`, chosen: false }
}

/** By its own key only. @throws `ERR_MCP_INVALID_DEFINITION` */
export function chosenCacheName(kind: string, { name, schemaKey = false }: Keyed): CacheName | undefined {
  if (schemaKey === false) return undefined
  if (typeof schemaKey !== 'string' || schemaKey === '')
    throw invalid({ kind, name }, 'needs a text as its schemaKey, or false for no place in the schema cache')
  return { text: `key:${schemaKey}`, chosen: true }
}

export const siteOf = (
  subject: Subject,
  field: SchemaSite['field'],
  cacheName: CacheName | undefined,
): SchemaSite => ({
  ...subject,
  field,
  ...(cacheName !== undefined && { key: { ...cacheName, text: `${cacheName.text}:${field}` } }),
})
