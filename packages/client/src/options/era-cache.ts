import type { Era } from '@jetway/core/protocol'
import { BoundedMap } from '../util/bounded-map.ts'

/**
 * A cache of servers' eras, by {@link ClientTransport.key}, so that later connections do not need a probe.
 */
export type EraCache = Pick<Map<string, Era>, 'get' | 'set' | 'delete'>

/** Creates an `EraCache` in memory for 1,024 servers. When it is full, the entry written longest ago is dropped. */
export const createEraCache = (): EraCache => new BoundedMap<string, Era>({ maxEntries: 1_024 })

/** The default cache of all clients. */
export const sharedEras: EraCache = createEraCache()
