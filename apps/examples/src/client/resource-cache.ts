import type { Client } from '@jetway/client'
import { cachedResources, ResourceCache } from '@jetway/client/resource-cache'
import type { ReadResourceResult } from '@jetway/core/protocol'

// #region read
export const cache = new ResourceCache({ maxEntries: 500, ttlMs: 60_000 })

/** Reads resources from one server, each only once until it changes. */
export async function readRates(
  client: Client,
  uris: readonly string[],
): Promise<readonly ReadResourceResult[]> {
  using rates = cachedResources(client, cache, { server: 'rates' })
  return await Promise.all(uris.map((uri) => rates.read(uri)))
}
// #endregion

// #region partition
/** For a service that calls one server for many users. */
export const readFor = (user: string, client: Client, uri: string): Promise<ReadResourceResult> =>
  cache.read({ server: 'rates', partition: user, uri }, (signal) => client.readResource(uri, { signal }))

/** Called when the user's permissions have changed. */
export const signedOut = (user: string): void => cache.invalidateServer('rates', { partition: user })
// #endregion
