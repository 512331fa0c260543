import type { TokenEndpointResponse } from 'oauth4webapi'
import type { Discovered, Discovery } from './discovery.ts'
import type { TokenEndpoint } from './token-endpoint.ts'

/** A way to request a token, such as `authorizationCode` or `clientCredentials`. */
export interface Grant {
  /** The grant types to register. See https://www.rfc-editor.org/rfc/rfc7591#section-2. */
  readonly grantTypes: readonly string[]
  readonly redirectUris: readonly string[]
  /** Whether the grant asks a user. Users are asked only after a challenge. */
  readonly isInteractive: boolean
  /** URLs from the user's configuration, which may be private. */
  readonly trustedUrls: readonly string[]
  /** @internal */
  obtain(request: GrantRequest): Promise<TokenEndpointResponse>
}

/** @internal */
export interface GrantRequest {
  readonly found: Discovered
  readonly endpoint: TokenEndpoint
  readonly scopes: readonly string[]
  readonly discovery: Discovery
  /** The thumbprint of the DPoP key. */
  readonly keyThumbprint: string | undefined
}
