import type { SchemaCache } from './cache.ts'
import type { WarmedSchemas } from './warm.ts'

/** What is wrong with one entry of a cache. */
export interface CacheFault {
  readonly fault: 'missing' | 'stale' | 'superfluous'
  readonly key: string
  /** For people: the tool or prompt and the member, or the key where nothing has it any more. */
  readonly where: string
  readonly why: string
}

/** Holds a cache to what would be cached now. */
export function compareCache(cache: SchemaCache, now: WarmedSchemas): CacheFault[] {
  const known = new Set(now.schemas.map(({ key }) => key))
  const faults = now.schemas.flatMap(({ key, where, digest, library }): CacheFault[] => {
    const entry = Object.hasOwn(cache.entries, key) ? cache.entries[key] : undefined
    if (entry === undefined) return [{ fault: 'missing', key, where, why: 'the cache has no entry for it' }]
    if (entry.digest === digest) return []
    const versions = [
      ['@jetway/core', cache.jetway, now.jetway],
      ['ajv', cache.ajv, now.ajv],
      ['the schema library', entry.library, library],
    ] as const
    const other = versions.find(([, then, today]) => then !== today)
    const why =
      other === undefined ? 'the schema has changed' : `${other[0]} was ${other[1]} and is ${other[2]} now`
    return [{ fault: 'stale', key, where, why }]
  })
  const superfluous = Object.keys(cache.entries)
    .filter((key) => !known.has(key))
    .map((key): CacheFault => ({
      fault: 'superfluous',
      key,
      where: key,
      why: 'the server has no such schema',
    }))
  return [...faults, ...superfluous]
}
