import type { Era } from '@jetway/core/protocol'
import { BoundedMap } from '../util/bounded-map.ts'

/** A cache of servers' eras, by {@link ClientTransport.key}. With it, later connections do not need a probe. */
export type EraCache = Pick<Map<string, Era>, 'get' | 'set' | 'delete'>

/**
 * Creates an `EraCache` in memory for 1,024 servers. When it is full, the entry that was written longest ago is
 * dropped.
 */
export const createEraCache = (): EraCache => new BoundedMap<string, Era>({ maxEntries: 1_024 })

/** The default cache, which all clients share. */
export const sharedEras: EraCache = createEraCache()
