import type { ReadResourceResult } from '@jetway/core/protocol'
import type { Client } from '../client.ts'
import type { RequestOptions } from '../options.ts'
import type { ResourceCache, ResourceKey } from './resource-cache.ts'

/** Options of {@link cachedResources}. */
export interface CachedResourcesOptions {
  /** @default the client's `name`; without one, a name of its own that no other client shares */
  readonly server?: string
  /**
   * Whom the server takes this client for; clients of the same partition share what they read.
   * @default one of its own for each client
   */
  readonly partition?: string
}

/** Limits of one reading. Callers that wait for the same reading have those of the first. */
export type CachedReadOptions = Pick<RequestOptions, 'signal' | 'timeoutMs' | 'maxTotalMs'>

/** The resources of one client, through a cache. */
export interface CachedResources {
  readonly server: string
  readonly partition: string
  /**
   * A resource from the cache, or else from the server. The result is frozen. What is kept is given even where the signal
   * has aborted.
   *
   * @throws what `client.readResource` throws
   */
  read(uri: string, options?: CachedReadOptions): Promise<ReadResourceResult>
  /** Reads no more, and listens no more. What is kept stays. Safe to call again. */
  stop(): void
  [Symbol.dispose](): void
}

let count = 0

/**
 * Reads a client's resources through a cache, and has the cache forget what the server says has changed: a resource by
 * `notifications/resources/updated`, all by `notifications/resources/list_changed`. Where notifications may have been
 * missed, and when the connection ends, it forgets what this client may have put there. Which resources a server tells of
 * is for `client.subscribe` to say.
 *
 * Listening lasts until `stop` is called or the client is closed; a client that was closed before has nothing to read.
 */
export function cachedResources(
  client: Client,
  cache: ResourceCache,
  options: CachedResourcesOptions = {},
): CachedResources {
  const own = `client-${++count}`
  // No host's name for a server looks like this: a host that has a name for it gives it.
  const { server = client.name ?? `\u0000${own}`, partition = `\u0000${own}` } = options
  const forget = (): void => cache.invalidateServer(server, { partition })
  const offs = [
    client.on('resourceUpdated', ({ uri }) => cache.invalidateUpdated({ server, uri })),
    client.on('resourcesChanged', () => cache.invalidateServer(server)),
    client.on('gap', forget),
    client.on('close', forget),
  ]
  const key = (uri: string): ResourceKey => ({ server, partition, uri })
  const stop = (): void => {
    for (const off of offs.splice(0)) off()
  }
  return {
    server,
    partition,
    read: (uri, { signal, ...limits } = {}) =>
      cache.read(key(uri), (shared) => client.readResource(uri, { ...limits, signal: shared }), { signal }),
    stop,
    [Symbol.dispose]: stop,
  }
}
