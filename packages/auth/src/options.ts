import type { SealKey } from '@jetway/core/http'
import type { TokenCheck } from './issuers/token-check.ts'
import type { Claims } from './tokens/claims.ts'

/** An authorization server whose tokens a server accepts. */
export interface IssuerOptions {
  /**
   * The issuer identifier: an `https:` URL, or on loopback `http:`. The claim `iss` of its tokens must be
   * exactly this string, including the closing slash if the authorization server writes one.
   */
  readonly issuer: string
  /** The check for the issuer's tokens. @default jwt() */
  readonly token?: TokenCheck
}

/** The limits of the cache of verified tokens. */
export interface TokenCacheOptions {
  /**
   * The maximum number of cached tokens per mount. A new token replaces the oldest; that of the same principal, if a
   * tenth of the tokens are theirs.
   *
   * @default 2_000
   */
  readonly max?: number
  /**
   * The maximum time for which a token counts as verified, in ms. A token never counts as verified after its
   * `exp`. A revocation takes effect after this time at the latest. @default 60_000
   */
  readonly ttlMs?: number
}

/**
 * Further members of the protected resource metadata.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9728#section-2
 */
export interface ResourceMetadataFields {
  readonly resource_name?: string
  readonly resource_documentation?: string
  readonly resource_policy_uri?: string
  readonly resource_tos_uri?: string
}

/**
 * The options for tokens that are bound to a key of their client, which signs a proof for each request. A
 * stolen token is useless without that key.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9449
 */
export interface DpopOptions {
  /** `accept` also accepts bearer tokens that are not bound to a key. `require` refuses them. */
  readonly mode: 'accept' | 'require'
  /**
   * Whether each proof must contain a nonce from this server, valid for 5 min, so that a client cannot sign
   * proofs in advance. Each client repeats a request if its nonce has expired. A mount with the option
   * `shared` needs the `keys` that seal nonces, the same in all processes: 1 to 8 keys of 32 random bytes, as
   * bytes, base64 or base64url. The first key seals, and all keys open. `true` creates a random key.
   *
   * @default false
   */
  readonly nonce?: boolean | { readonly keys: readonly SealKey[] }
}

/** The options of `oauth`. Set either `issuer` or `issuers`. */
export interface OAuthOptions {
  /** The issuer identifier of the authorization server: see {@link IssuerOptions.issuer}. */
  readonly issuer?: string
  /** The check for tokens of `issuer`. @default jwt() */
  readonly token?: TokenCheck
  /** Several authorization servers, up to 16. At most one of them may issue opaque tokens. */
  readonly issuers?: readonly IssuerOptions[]
  /**
   * The address of the MCP endpoint as clients use it.
   *
   * @default the mount's `publicUrl`. If all issuers are on loopback, as in development: the Host of the
   * request
   */
  readonly resource?: string | URL
  /**
   * The accepted values of the claim `aud`.
   *
   * @default `resource`, and the addresses of the mount's other routes
   */
  readonly audience?: string | readonly string[]
  /**
   * The scopes that every request needs. Clients ask their users for them, so name the fewest that are useful.
   *
   * @default none
   */
  readonly scopes?: readonly string[]
  /**
   * The scopes that a scope implies, such as `{ 'files:write': ['files:read'] }`. These may imply further scopes.
   *
   * @default none
   */
  readonly implies?: Readonly<Record<string, readonly string[]>>
  /**
   * The name of a scope in challenges and metadata, if clients must request a different name from the one
   * that tokens contain.
   *
   * @default the same name
   */
  readonly advertise?: (scope: string) => string
  /**
   * The stable identity of a caller, as `ctx.auth.principal`. If it is empty, the token is refused.
   *
   * @default issuer, client and subject, as JSON
   */
  readonly principal?: (claims: Claims) => string
  /** Further members of the protected resource metadata. */
  readonly metadata?: ResourceMetadataFields
  /**
   * Whether the metadata is also served at the root, `/.well-known/oauth-protected-resource`, where some
   * clients look for it. Turn it off for all but one mount per origin.
   *
   * @default true
   */
  readonly root?: boolean
  /**
   * Whether tokens may or must be bound to a client's key: see {@link DpopOptions}. A token bound to a key is
   * never accepted as a bearer token, and a token bound to a certificate is never accepted.
   *
   * @default 'off'
   */
  readonly dpop?: 'off' | 'accept' | 'require' | DpopOptions
  /** The cache of verified tokens. `false` verifies the token on every request. */
  readonly cache?: TokenCacheOptions | false
  /** Fetches the documents of authorization servers. @default the global one */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

/** `ctx.auth.extra` of a caller with a token. Frozen. The token itself is not available. */
export interface OAuthExtra extends Readonly<Record<string, unknown>> {
  readonly issuer: string
  readonly subject: string | undefined
  readonly claims: Claims
}
