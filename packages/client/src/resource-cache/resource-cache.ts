import type { ReadResourceResult } from '@jetway/core/protocol'
import { type Clock, systemClock } from '@jetway/core/stores'
import { LRUCache } from 'lru-cache'
import type { CacheHints } from '../features/results.ts'
import { Flight } from './flight.ts'
import { frozenCopy } from './frozen-copy.ts'
import { KeyIndex } from './key-index.ts'

/** Whose copy of which resource. */
export interface ResourceKey {
  /** What the host calls the server. Two servers must not share a name. */
  readonly server: string
  readonly uri: string
  /**
   * Whom the server takes the caller for: an account, a tenant, a set of credentials. What one partition has read is kept
   * from the others, unless the server has said that it is `public`.
   * @default one partition for all that name none
   */
  readonly partition?: string
}

/** Options of a {@link ResourceCache}. */
export interface ResourceCacheOptions {
  /** Entries, expired ones too. A new one beyond that takes the place of the one that was not used for longest. @default 256 */
  readonly maxEntries?: number
  /**
   * What the entries may take in memory, in bytes, counting each character as two. Beyond that those that were not used
   * for longest go; a result that is too large by itself is not kept.
   * @default 67_108_864 (64 MiB)
   */
  readonly maxBytes?: number
  /**
   * Ms for which a result may be given again where the server says nothing of that; 0 or less: until it is invalidated or
   * evicted. What the server says with a result (`ttlMs`) counts for that result instead.
   * @default 300_000
   */
  readonly ttlMs?: number
  /** @default the system's */
  readonly clock?: Clock
}

/** Reads a resource from its server. The signal aborts when nobody waits for it any more. */
export type LoadResource = (signal: AbortSignal) => Promise<ReadResourceResult & CacheHints>

interface Entry {
  readonly server: string
  readonly uri: string
  readonly partition: string | undefined
  readonly result: ReadResourceResult
  readonly expiresAt: number
}

interface FlightOf {
  readonly key: ResourceKey
  readonly flight: Flight<ReadResourceResult>
}

const DEFAULTS = { maxEntries: 256, maxBytes: 64 * 1024 * 1024, ttlMs: 300_000 } as const

/**
 * Keeps what was read of resources, of any number of servers. Results are frozen copies, without the hints that they came
 * with. An entry that has expired is missed, and stays until it is overwritten or evicted.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 */
export class ResourceCache {
  readonly #ttlMs: number
  readonly #clock: Clock
  readonly #kept: LRUCache<string, Entry, number>
  readonly #index = new KeyIndex()
  /** As many at most as there are callers that wait. */
  readonly #flights = new Map<string, FlightOf>()

  /** @throws RangeError where a limit is no positive whole number */
  constructor(options: ResourceCacheOptions = {}) {
    const {
      maxEntries = DEFAULTS.maxEntries,
      maxBytes = DEFAULTS.maxBytes,
      ttlMs = DEFAULTS.ttlMs,
      clock = systemClock,
    } = options
    for (const [name, limit] of Object.entries({ maxEntries, maxBytes }))
      if (!Number.isSafeInteger(limit) || limit < 1)
        throw new RangeError(`${name} must be a positive whole number, and is ${limit}`)
    if (typeof ttlMs !== 'number' || Number.isNaN(ttlMs)) throw new RangeError('ttlMs must be a number of ms')
    this.#ttlMs = ttlMs > 0 ? ttlMs : Infinity
    this.#clock = clock
    this.#kept = new LRUCache({
      max: maxEntries,
      maxSize: maxBytes,
      noDisposeOnSet: true,
      dispose: ({ server, uri }, key) => this.#index.remove(server, uri, key),
    })
  }

  /** Entries, expired ones too. */
  get size(): number {
    return this.#kept.size
  }

  /** What may be given again; undefined where nothing may. */
  get(key: ResourceKey): ReadResourceResult | undefined {
    const now = this.#clock.now()
    for (const id of [privateId(key), publicId(key)]) {
      const entry = this.#kept.peek(id)
      // Looking at what has expired must not make it stay for longer than what is of use.
      if (entry !== undefined && now < entry.expiresAt) return this.#kept.get(id)?.result
    }
    return undefined
  }

  /**
   * Keeps a result, as its own hints have it: not at all with a `ttlMs` of 0, for every partition with the `cacheScope`
   * `public`. It replaces what there was of the resource for this partition and, as the server may have changed its mind,
   * for all of them.
   *
   * @returns whether it is kept
   */
  set(key: ResourceKey, result: ReadResourceResult & CacheHints): boolean {
    return this.#keep(key, result).kept
  }

  /**
   * What is kept, or else what `load` resolves to, which is then kept as {@link set} does. Callers that want the same at
   * the same time wait for one `load`. What was invalidated while it was under way is given to those who wait, and not kept.
   *
   * @param options - its `signal` ends the waiting of this caller; what is kept is given even so
   * @throws what `load` rejects with, which is never kept, and the reason of the signal
   */
  async read(
    key: ResourceKey,
    load: LoadResource,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<ReadResourceResult> {
    const kept = this.get(key)
    if (kept !== undefined) return kept
    signal?.throwIfAborted()
    const id = privateId(key)
    const { flight } = this.#flights.get(id) ?? this.#begin(id, key, load)
    return flight.join(signal)
  }

  /** Forgets a resource, for every partition. */
  invalidate({ server, uri }: Pick<ResourceKey, 'server' | 'uri'>): void {
    this.#land((key) => key.server === server && key.uri === uri)
    this.#forget(this.#index.keys(server, uri))
  }

  /**
   * Forgets what a `notifications/resources/updated` speaks of: the resource, and those that it is inside of, since a
   * server may name a part of what was subscribed to.
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#resourceupdatednotificationparams
   */
  invalidateUpdated({ server, uri }: Pick<ResourceKey, 'server' | 'uri'>): void {
    this.#land((key) => key.server === server && holds(key.uri, uri))
    for (const each of this.#index.uris(server))
      if (holds(each, uri)) this.#forget(this.#index.keys(server, each))
  }

  /** Forgets all of a server; with a partition, what is public and what is of that partition. */
  invalidateServer(server: string, { partition }: Pick<ResourceKey, 'partition'> = {}): void {
    const concerns = (of: string | undefined): boolean =>
      partition === undefined || of === undefined || of === partition
    this.#land((key) => key.server === server && concerns(partitionOf(key)))
    const ids = this.#index.keysOfServer(server)
    this.#forget(ids.filter((id) => concerns(this.#kept.peek(id)?.partition)))
  }

  /** Forgets everything. */
  clear(): void {
    this.#flights.clear()
    this.#kept.clear()
  }

  #begin(id: string, key: ResourceKey, load: LoadResource): FlightOf {
    const own: FlightOf = {
      key,
      flight: new Flight(
        async (signal) => {
          try {
            const result = await load(signal)
            return this.#flights.get(id) === own ? this.#keep(key, result).result : bare(result).result
          } finally {
            landed()
          }
        },
        () => landed(),
      ),
    }
    const landed = (): void => {
      if (this.#flights.get(id) === own) this.#flights.delete(id)
    }
    this.#flights.set(id, own)
    return own
  }

  /** Whoever reads from now on starts anew: what is under way may be older than what has made it invalid. */
  #land(concerns: (key: ResourceKey) => boolean): void {
    for (const [id, { key }] of this.#flights) if (concerns(key)) this.#flights.delete(id)
  }

  #forget(ids: readonly string[]): void {
    for (const id of ids) this.#kept.delete(id)
  }

  #keep(
    key: ResourceKey,
    given: ReadResourceResult & CacheHints,
  ): { readonly kept: boolean; readonly result: ReadResourceResult } {
    const { result, weight, ttlMs = this.#ttlMs, isPublic } = bare(given)
    const [id, other] = isPublic ? [publicId(key), privateId(key)] : [privateId(key), publicId(key)]
    this.#kept.delete(other)
    if (ttlMs <= 0) {
      this.#kept.delete(id)
      return { kept: false, result }
    }
    const { server, uri } = key
    const partition = isPublic ? undefined : partitionOf(key)
    const expiresAt = this.#clock.now() + ttlMs
    this.#kept.set(id, { server, uri, partition, result, expiresAt }, { size: weight + id.length * 2 })
    const kept = this.#kept.peek(id)?.result === result
    if (kept) this.#index.add(server, uri, id)
    return { kept, result }
  }
}

/** A copy without its hints, and what they say. Of a server that follows no rule they may be anything. */
function bare({ ttlMs, cacheScope, ...given }: ReadResourceResult & CacheHints): {
  readonly result: ReadResourceResult
  readonly weight: number
  readonly ttlMs: number | undefined
  readonly isPublic: boolean
} {
  const { value, weight } = frozenCopy<ReadResourceResult>(given)
  return {
    result: value,
    weight,
    ttlMs: typeof ttlMs === 'number' ? ttlMs : undefined,
    isPublic: cacheScope === 'public',
  }
}

const partitionOf = ({ partition = '' }: ResourceKey): string => partition

// As lists of texts no two keys look alike, whatever characters they have.
const privateId = (key: ResourceKey): string => JSON.stringify([key.server, key.uri, partitionOf(key)])
const publicId = ({ server, uri }: ResourceKey): string => JSON.stringify([server, uri])

/** Whether a resource is another one, or has it as a part: `a://b` has `a://b/c`, and not `a://bc`. */
const holds = (uri: string, part: string): boolean =>
  uri === part || part.startsWith(uri.endsWith('/') ? uri : `${uri}/`)
