import { createLocalJWKSet, errors, type JSONWebKeySet, type JWSHeaderParameters } from 'jose'
import type { Logger } from '@jetway/core'
import type { Clock } from '@jetway/core/stores'
import { Refused, Unavailable } from '../tokens/refused.ts'
import type { TokenRequest } from './token-check.ts'
import type { FetchJson } from './fetch-json.ts'

type LocalKeys = ReturnType<typeof createLocalJWKSet>
/** A key for verifying a signature. */
export type VerificationKey = Awaited<ReturnType<LocalKeys>>

export interface KeySetOptions {
  readonly uri: () => Promise<string>
  /** Called after a failure, because the address of the keys may have changed. */
  readonly onFailure: () => void
  readonly fetchJson: FetchJson
  readonly clock: Clock
  readonly logger: Logger
}

const LIMITS = { timeoutMs: 5_000, maxBytes: 262_144 }
const MAX_KEYS = 100
/** The age at which keys are fetched again, in ms. The old keys remain in use until the new ones arrive. */
const FRESH_MS = 600_000
/** The maximum age of keys that are still used, in ms. It is limited because a key may have been revoked. */
const USABLE_MS = FRESH_MS + 3_600_000
/**
 * The minimum time between requests caused by unknown key ids, in ms. It is needed because anyone can invent
 * key ids.
 */
const UNKNOWN_KEY_MS = 30_000
/** The minimum time between requests during an outage, in ms. */
const RETRY_MS = 5_000

/** Fetches an issuer's keys on first use, and again when they are old or a key is missing. */
export class KeySet {
  readonly #options: KeySetOptions
  #keys: LocalKeys | undefined
  #fetchedAt = Number.NEGATIVE_INFINITY
  #triedAt = Number.NEGATIVE_INFINITY
  #failed: Unavailable | undefined
  #loading: Promise<LocalKeys> | undefined

  constructor(options: KeySetOptions) {
    this.#options = options
  }

  /** @throws Refused, Unavailable */
  async find(header: JWSHeaderParameters, request: TokenRequest): Promise<VerificationKey> {
    const keys = await this.#current(request)
    const key = await pick(keys, header)
    if (key !== undefined) return key
    const { clock } = this.#options
    if (clock.now() - this.#triedAt < UNKNOWN_KEY_MS) throw new Refused('kid')
    const again = await pick(await this.#load(request), header)
    if (again === undefined) throw new Refused('kid')
    return again
  }

  async #current(request: TokenRequest): Promise<LocalKeys> {
    const age = this.#options.clock.now() - this.#fetchedAt
    if (this.#keys === undefined || age > USABLE_MS) return this.#load(request)
    // `#fetch` logs a failure, and the current keys remain in use.
    if (age > FRESH_MS) this.#load(request).catch(() => {})
    return this.#keys
  }

  #load(request: TokenRequest): Promise<LocalKeys> {
    if (this.#loading !== undefined) return this.#loading
    const waits = this.#options.clock.now() - this.#triedAt < RETRY_MS
    if (this.#failed !== undefined && waits) return Promise.reject(this.#failed)
    const loading = this.#fetch().finally(() => {
      this.#loading = undefined
    })
    this.#loading = loading
    request.waitUntil?.(loading.catch(() => {}))
    return loading
  }

  async #fetch(): Promise<LocalKeys> {
    const { uri, onFailure, fetchJson, clock, logger } = this.#options
    try {
      const keys = createLocalJWKSet(checked(await fetchJson(await uri(), LIMITS)))
      this.#keys = keys
      this.#fetchedAt = clock.now()
      this.#failed = undefined
      return keys
    } catch (error) {
      this.#failed =
        error instanceof Unavailable ? error : new Unavailable('The keys are malformed', { cause: error })
      onFailure()
      logger.error({ err: this.#failed }, 'The keys of the authorization server cannot be fetched')
      throw this.#failed
    } finally {
      this.#triedAt = clock.now()
    }
  }
}

function checked(set: unknown): JSONWebKeySet {
  const { keys } = (set ?? {}) as { readonly keys?: unknown }
  if (!Array.isArray(keys)) throw new Unavailable('The key set has no keys')
  if (keys.length > MAX_KEYS) throw new Unavailable(`The key set has more than ${MAX_KEYS} keys`)
  return { keys: keys as JSONWebKeySet['keys'] }
}

/** Returns the key with the header's id, or undefined if there is none. */
async function pick(keys: LocalKeys, header: JWSHeaderParameters): Promise<VerificationKey | undefined> {
  try {
    return await keys(header)
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return undefined
    // The token has no key id, and several keys match. If each key were tried, a forged token could cause many
    // checks.
    throw new Refused('kid')
  }
}
