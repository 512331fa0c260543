import type { ReadResourceResult } from '@jetway/core/protocol'
import type { Client } from '../client/client.ts'
import type { RequestOptions } from '../options/options.ts'
import type { ResourceCache, ResourceKey } from './resource-cache.ts'

/** Options of `cachedResources`. */
export interface CachedResourcesOptions {
  /** The server's name in the cache. @default the client's `name`, or a unique name */
  readonly server?: string
  /**
   * The partition. Clients in the same partition share cached resources. @default a separate partition for each
   * client
   */
  readonly partition?: string
}

/** The signal and the timeouts of one read. If callers read concurrently, the first caller's timeouts apply. */
export type CachedReadOptions = Pick<RequestOptions, 'signal' | 'timeoutMs' | 'maxTotalMs'>

/** Reads resources through a cache. */
export interface CachedResources {
  readonly server: string
  readonly partition: string
  /**
   * Reads from the cache, or from the server. The result is frozen. A cached resource is returned even if the
   * signal has aborted.
   *
   * @throws the errors of `client.readResource`
   */
  read(uri: string, options?: CachedReadOptions): Promise<ReadResourceResult>
  /** Removes the listeners, but not the cached resources. Can be called repeatedly. */
  stop(): void
  [Symbol.dispose](): void
}

let count = 0

/**
 * Reads a client's resources through a cache, and invalidates them when the server reports that they have
 * changed, when notifications may have been missed, and when the connection ends. Use `client.subscribe` to
 * be notified of changed resources.
 */
export function cachedResources(
  client: Client,
  cache: ResourceCache,
  options: CachedResourcesOptions = {},
): CachedResources {
  const own = `client-${++count}`
  // No host uses a name that begins with a NUL character.
  const { server = client.name ?? `\u0000${own}`, partition = `\u0000${own}` } = options
  const forget = (): void => cache.invalidateServer(server, { partition })
  const offs = [
    client.on('resourceUpdated', ({ uri }) => cache.invalidateUpdated({ server, uri })),
    client.on('resourcesChanged', () => cache.invalidateServer(server)),
    client.on('changesMissed', forget),
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
