import type { SealKey } from '@jetway/core/http'
import type { TokenCheck } from './issuers/token-check.ts'
import type { Claims } from './tokens/claims.ts'

/** An authorization server whose tokens a server accepts. */
export interface IssuerOptions {
  /**
   * The issuer identifier: an `https:` URL, or on loopback `http:`. The `iss` claim in its tokens must be
   * exactly this string, including a trailing slash if the authorization server uses one.
   */
  readonly issuer: string
  /** The check for the issuer's tokens. @default jwt() */
  readonly token?: TokenCheck
}

/** The limits of the cache of verified tokens. */
export interface TokenCacheOptions {
  /**
   * The maximum number of cached tokens per mount. When the cache is full, a new token replaces the oldest one.
   * If a tenth of the tokens belong to the same principal, it replaces that principal's oldest one.
   *
   * @default 2_000
   */
  readonly max?: number
  /**
   * How long a token counts as verified, in ms. A token never counts as verified after its `exp`. A revocation
   * takes effect after this time at the latest. @default 60_000
   */
  readonly ttlMs?: number
}

/**
 * Additional members of the protected resource metadata.
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
 * The options for tokens that are bound to a key. The client signs a proof with this key for each request. A
 * stolen token is useless without that key.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9449
 */
export interface DpopOptions {
  /** `accept` also accepts bearer tokens that are not bound to a key. `require` refuses them. */
  readonly mode: 'accept' | 'require'
  /**
   * Whether each proof must contain a nonce from this server, valid for 5 min, so that a client cannot sign
   * proofs in advance. When a client's nonce has expired, the client repeats its request. A mount with the
   * `shared` option needs `keys` to seal the nonces. They must be the same in all processes: 1 to 8 keys of
   * 32 random bytes, as bytes, base64 or base64url. The first key seals nonces, and every key can open them.
   * `true` creates a random key.
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
   * @default the mount's `publicUrl`. If all issuers are on loopback, as in development, the request's Host
   */
  readonly resource?: string | URL
  /**
   * The accepted values of the `aud` claim.
   *
   * @default `resource`, and the addresses of the mount's other routes
   */
  readonly audience?: string | readonly string[]
  /**
   * The scopes that every request needs. Clients ask their users for these scopes, so require as few as
   * possible.
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
   * Returns the name of a scope in challenges and metadata, if clients must request a different name from the
   * one in tokens.
   *
   * @default the same name
   */
  readonly advertise?: (scope: string) => string
  /**
   * Returns the stable identity of a caller, for `ctx.auth.principal`. If it is empty, the token is refused.
   *
   * @default the issuer, client and subject, as JSON
   */
  readonly principal?: (claims: Claims) => string
  /** Additional members of the protected resource metadata. */
  readonly metadata?: ResourceMetadataFields
  /**
   * Whether the metadata is also served at the root, `/.well-known/oauth-protected-resource`, where some
   * clients look for it. Set this to false for all but one mount per origin.
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
  /** The cache of verified tokens. If `false`, the token is verified on every request. */
  readonly cache?: TokenCacheOptions | false
  /** Fetches the documents of authorization servers. @default the global `fetch` */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

/** The value of `ctx.auth.extra` for a caller with a token. It is frozen. The token itself is not available. */
export interface OAuthExtra extends Readonly<Record<string, unknown>> {
  readonly issuer: string
  readonly subject: string | undefined
  readonly claims: Claims
}
