import type { Era } from '@jetway/core/protocol'
import { BoundedMap } from '../util/bounded-map.ts'

/**
 * Remembers the era of each server, by {@link ClientTransport.key}, so that later connections need no probe.
 */
export type EraCache = Pick<Map<string, Era>, 'get' | 'set' | 'delete'>

/** An `EraCache` in memory for 1,024 servers. When it is full, the entry written longest ago goes. */
export const createEraCache = (): EraCache => new BoundedMap<string, Era>(1_024)

/** The default of all clients. */
export const sharedEras: EraCache = createEraCache()
