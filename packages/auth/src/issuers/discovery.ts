import type { Clock } from '@jetway/core/stores'
import { Unavailable } from '../tokens/refused.ts'
import type { FetchJson } from './fetch-json.ts'

/** The members of an authorization server's metadata that `oauth` reads. */
export interface IssuerMetadata {
  readonly issuer?: unknown
  readonly jwks_uri?: unknown
  readonly introspection_endpoint?: unknown
}

const KEPT_MS = 86_400_000
/**
 * The minimum time between requests for the metadata, in ms. It is needed because each invented token may cause
 * a failure.
 */
const RETRY_MS = 5_000
const LIMITS = { timeoutMs: 5_000, maxBytes: 262_144 }

/**
 * Lists the possible addresses of an issuer's metadata: RFC 8414 first, then OpenID Connect in both spellings.
 *
 * @see
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#authorization-server-metadata-discovery
 */
function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const inserted = ['oauth-authorization-server', 'openid-configuration'].map(
    (name) => `${origin}/.well-known/${name}${path}`,
  )
  return path === '' ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`]
}

/** Fetches an issuer's metadata, and caches it for a day. */
export class Discovery {
  readonly #issuer: string
  readonly #fetchJson: FetchJson
  readonly #clock: Clock
  #finding: Promise<IssuerMetadata> | undefined
  #isDoubtful = false
  #found: { readonly metadata: IssuerMetadata; readonly at: number } | undefined

  constructor(issuer: string, fetchJson: FetchJson, clock: Clock) {
    this.#issuer = issuer
    this.#fetchJson = fetchJson
    this.#clock = clock
  }

  /** Returns the metadata. Concurrent callers share a request. @throws Unavailable */
  async metadata(): Promise<IssuerMetadata> {
    const { metadata, at = Number.NEGATIVE_INFINITY } = this.#found ?? {}
    const kept = this.#isDoubtful ? RETRY_MS : KEPT_MS
    if (metadata !== undefined && this.#clock.now() - at < kept) return metadata
    return (this.#finding ??= this.#find().finally(() => {
      this.#finding = undefined
    }))
  }

  /**
   * Causes the metadata to be fetched again on the next use, but at most once every 5 s, because the
   * addresses in it may have changed.
   */
  doubt(): void {
    this.#isDoubtful = true
  }

  async #find(): Promise<IssuerMetadata> {
    let cause: unknown
    for (const url of metadataUrls(this.#issuer)) {
      try {
        const found = (await this.#fetchJson(url, LIMITS)) as IssuerMetadata | null
        // A document that names a different issuer is rejected, because its keys would belong to that issuer. See
        // https://www.rfc-editor.org/rfc/rfc8414#section-3.3.
        if (found?.issuer === this.#issuer) {
          this.#found = { metadata: found, at: this.#clock.now() }
          this.#isDoubtful = false
          return found
        }
        cause = new Error(`${url} has another issuer than ${this.#issuer}`)
      } catch (error) {
        cause ??= error
      }
    }
    throw new Unavailable(`The metadata of ${this.#issuer} cannot be found`, { cause })
  }
}
