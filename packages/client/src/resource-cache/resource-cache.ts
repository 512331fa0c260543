import type { ReadResourceResult } from '@jetway/core/protocol'
import { type Clock, systemClock } from '@jetway/core/stores'
import { LRUCache } from 'lru-cache'
import type { CacheHints } from '../client/results.ts'
import { withDefaults } from '../util/defaults.ts'
import { PendingLoad } from './pending-load.ts'
import { frozenCopy } from './frozen-copy.ts'

/** The identity of a cached resource. */
export interface ResourceKey {
  /** The host's unique name for the server. */
  readonly server: string
  readonly uri: string
  /**
   * The account, tenant or credentials. Resources are not shared between partitions, unless the server has
   * marked them `public`.
   * @default one partition for all keys without one
   */
  readonly partition?: string
}

/** Options of a `ResourceCache`. */
export interface ResourceCacheOptions {
  /**
   * The maximum number of entries. When it is exceeded, the least recently used entry is dropped. @default 256
   */
  readonly maxEntries?: number
  /**
   * The maximum size of all entries, in bytes, where each character counts as two. When it is exceeded, the
   * least recently used entries are dropped. A result that is larger than this is not cached.
   * @default 67_108_864
   */
  readonly maxBytes?: number
  /**
   * The lifetime of a result without `ttlMs`, in ms. If it is 0 or less, the result is kept until it is
   * invalidated.
   * @default 300_000
   */
  readonly ttlMs?: number
  /** The clock for lifetimes. @default the system clock */
  readonly clock?: Clock
}

/** Reads a resource from the server. The signal aborts when all callers have aborted. */
export type LoadResource = (signal: AbortSignal) => Promise<ReadResourceResult & CacheHints>

interface Entry {
  readonly server: string
  readonly uri: string
  readonly partition: string | undefined
  readonly result: ReadResourceResult
  readonly expiresAt: number
}

const DEFAULTS: Required<ResourceCacheOptions> = {
  maxEntries: 256,
  maxBytes: 64 * 1024 * 1024,
  ttlMs: 300_000,
  clock: systemClock,
}

/**
 * Caches the resources of any number of servers. Results are frozen copies without their cache hints.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 */
export class ResourceCache {
  readonly #ttlMs: number
  readonly #clock: Clock
  readonly #cached: LRUCache<string, Entry, number>
  readonly #loading = new Map<string, PendingLoad<ResourceKey, ReadResourceResult>>()

  /** @throws RangeError for an invalid limit */
  constructor(options: ResourceCacheOptions = {}) {
    const { maxEntries, maxBytes, ttlMs, clock } = withDefaults(options, DEFAULTS)
    for (const [name, limit] of Object.entries({ maxEntries, maxBytes }))
      if (!Number.isSafeInteger(limit) || limit < 1)
        throw new RangeError(`${name} must be a positive whole number, and is ${limit}`)
    if (typeof ttlMs !== 'number' || Number.isNaN(ttlMs)) throw new RangeError('ttlMs must be a number of ms')
    this.#ttlMs = ttlMs > 0 ? ttlMs : Infinity
    this.#clock = clock
    this.#cached = new LRUCache({ max: maxEntries, maxSize: maxBytes })
  }

  /** The number of entries, including expired entries. */
  get size(): number {
    return this.#cached.size
  }

  /** Returns the cached result, or undefined if there is none or if it has expired. */
  get(key: ResourceKey): ReadResourceResult | undefined {
    const now = this.#clock.now()
    for (const id of [privateId(key), publicId(key)]) {
      const entry = this.#cached.peek(id)
      // Reading an expired entry must not make it the most recently used one.
      if (entry !== undefined && now < entry.expiresAt) return this.#cached.get(id)?.result
    }
    return undefined
  }

  /**
   * Caches a result according to its hints, and for every partition if it is `public`. Returns whether the
   * result was cached.
   */
  set(key: ResourceKey, result: ReadResourceResult & CacheHints): boolean {
    return this.#keep(key, result).kept
  }

  /**
   * Returns the cached result, or loads it and caches it. Concurrent callers share a load. A result that was
   * invalidated while it was loading is returned but not cached.
   *
   * @param options - `signal` ends the wait for this caller only
   * @throws the errors of `load`, and the signal's reason
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
    return (this.#loading.get(id) ?? this.#begin(id, key, load)).join(signal)
  }

  /** Removes a resource from all partitions. */
  invalidate({ server, uri }: Pick<ResourceKey, 'server' | 'uri'>): void {
    this.#remove((key) => key.server === server && key.uri === uri)
  }

  /**
   * Handles `notifications/resources/updated`: removes the resource, and any resources that contain it.
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#resourceupdatednotificationparams
   */
  invalidateUpdated({ server, uri }: Pick<ResourceKey, 'server' | 'uri'>): void {
    this.#remove((key) => key.server === server && contains(key.uri, uri))
  }

  /**
   * Removes all of a server's resources or, if a partition is given, only the partition's and the public
   * resources.
   */
  invalidateServer(server: string, { partition }: Pick<ResourceKey, 'partition'> = {}): void {
    this.#remove(
      (key, of) => key.server === server && (partition === undefined || of === undefined || of === partition),
    )
  }

  clear(): void {
    this.#loading.clear()
    this.#cached.clear()
  }

  #begin(id: string, key: ResourceKey, load: LoadResource): PendingLoad<ResourceKey, ReadResourceResult> {
    const end = (): void => {
      if (this.#loading.get(id) === loading) this.#loading.delete(id)
    }
    const run = async (signal: AbortSignal): Promise<ReadResourceResult> => {
      try {
        const result = await load(signal)
        return this.#loading.get(id) === loading ? this.#keep(key, result).result : bare(result).result
      } finally {
        end()
      }
    }
    const loading = new PendingLoad(key, run, end)
    this.#loading.set(id, loading)
    return loading
  }

  /**
   * Removes entries, and detaches running loads. New callers must not join these loads, because their results
   * may be out of date.
   */
  #remove(matches: (key: Pick<ResourceKey, 'server' | 'uri'>, partition: string | undefined) => boolean) {
    for (const [id, { key }] of this.#loading) if (matches(key, partitionOf(key))) this.#loading.delete(id)
    for (const [id, entry] of Array.from(this.#cached.entries()))
      if (matches(entry, entry.partition)) this.#cached.delete(id)
  }

  #keep(key: ResourceKey, given: ReadResourceResult & CacheHints) {
    const { result, weight, ttlMs = this.#ttlMs, isPublic } = bare(given)
    const [id, other] = isPublic ? [publicId(key), privateId(key)] : [privateId(key), publicId(key)]
    this.#cached.delete(other)
    if (ttlMs <= 0) {
      this.#cached.delete(id)
      return { kept: false, result }
    }
    const { server, uri } = key
    const partition = isPublic ? undefined : partitionOf(key)
    const expiresAt = this.#clock.now() + ttlMs
    this.#cached.set(id, { server, uri, partition, result, expiresAt }, { size: weight + id.length * 2 })
    return { kept: this.#cached.peek(id)?.result === result, result }
  }
}

/** Returns a copy without the hints, because they may be invalid. */
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

// The key is JSON, so that different resources never share a key.
const privateId = (key: ResourceKey): string => JSON.stringify([key.server, key.uri, partitionOf(key)])
const publicId = ({ server, uri }: ResourceKey): string => JSON.stringify([server, uri])

/** Returns whether one resource contains another: `a://b` contains `a://b/c`, but not `a://bc`. */
const contains = (uri: string, part: string): boolean =>
  uri === part || part.startsWith(uri.endsWith('/') ? uri : `${uri}/`)
