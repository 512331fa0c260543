import type { AuthInfo } from '@jetway/core'
import type { ProtectedMount } from '@jetway/core/http'
import type { Clock } from '@jetway/core/stores'
import type { CheckedOptions } from './check-options.ts'
import { createIdentify } from './identity.ts'
import { TOLERANCE_S } from './issuers/verify.ts'
import { createFetchJson } from './issuers/fetch-json.ts'
import type { Scheme } from './resource/challenge.ts'
import { Issuers } from './issuers/issuers.ts'
import type { TokenRequest } from './issuers/token-check.ts'
import { boundKeyOf } from './tokens/claims.ts'
import { Refused } from './tokens/refused.ts'
import { TokenCache } from './tokens/token-cache.ts'

/** A verified token. */
export interface Verified {
  readonly auth: AuthInfo
  /** The thumbprint of the token's key; undefined for a bearer token. */
  readonly jkt: string | undefined
}

/** The token in a request. */
export interface Credentials {
  readonly scheme: Scheme
  readonly token: string
  /** The whole header. */
  readonly header: string
  readonly request: TokenRequest
}

/** The audiences and the token cache of one resource. */
export interface ResourceTokens {
  /** The accepted audiences. A token must name one of them. */
  readonly audiences: readonly string[]
  /**
   * The cache, or undefined if tokens are not cached. Its keys are whole headers, so that the scheme must
   * match as well.
   */
  readonly tokens: TokenCache<Verified> | undefined
}

const CACHE = { max: 2_000, ttlMs: 60_000 }

/** Verifies tokens with their issuers' verifiers, and caches them. */
export class VerifiedTokens {
  readonly #options: CheckedOptions
  readonly #clock: Clock
  readonly #issuers: Issuers
  readonly #identify: ReturnType<typeof createIdentify>

  constructor(options: CheckedOptions, { clock, logger }: Pick<ProtectedMount, 'clock' | 'logger'>) {
    const { issuers, fetch = (url, init) => globalThis.fetch(url, init) } = options
    this.#options = options
    this.#clock = clock
    this.#issuers = new Issuers(issuers, { clock, logger, fetchJson: createFetchJson(fetch, clock) })
    this.#identify = createIdentify(options)
  }

  forAudiences(audiences: readonly string[]): ResourceTokens {
    const { cache } = this.#options
    const { max = CACHE.max } = cache === false ? {} : (cache ?? {})
    return { audiences, tokens: cache === false ? undefined : new TokenCache<Verified>(max, this.#clock) }
  }

  /** @throws Refused, Unavailable */
  async verify(
    { scheme, token, header, request }: Credentials,
    { audiences, tokens }: ResourceTokens,
  ): Promise<Verified> {
    const verified = await this.#issuers.verify(token, audiences, request)
    const jkt = boundKeyOf(verified.claims)
    // A bound token is refused if the request does not prove possession of its key, so that a stolen token is
    // useless.
    if (scheme === 'Bearer' && jkt !== undefined) throw new Refused('bound')
    if (scheme === 'DPoP' && jkt === undefined) throw new Refused('dpop', 'cnf')
    const found: Verified = { auth: this.#identify(verified), jkt }
    const { cache } = this.#options
    const { ttlMs = CACHE.ttlMs } = cache === false ? {} : (cache ?? {})
    const expires = verified.expiresAt === undefined ? Infinity : (verified.expiresAt + TOLERANCE_S) * 1000
    const until = Math.min(this.#clock.now() + (verified.keptMs ?? ttlMs), expires)
    tokens?.set(header, found, until, found.auth.principal)
    return found
  }
}
