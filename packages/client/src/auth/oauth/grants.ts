import type { TokenEndpointResponse } from 'oauth4webapi'
import type { Discovered, Discovery } from './discovery.ts'
import type { TokenEndpoint } from './token-endpoint.ts'

/**
 * A way to a token. `authorizationCode`, `clientCredentials`, `workloadIdentity` and `enterpriseManaged` make one each.
 */
export interface Grant {
  /** As registrations name them: https://www.rfc-editor.org/rfc/rfc7591#section-2 */
  readonly grantTypes: readonly string[]
  readonly redirectUris: readonly string[]
  /** Whether a person is asked, and so never without a challenge. */
  readonly isAttended: boolean
  /** Addresses that the user chose: they may be anywhere. */
  readonly chosen: readonly string[]
  /** @internal */
  obtain(request: GrantRequest): Promise<TokenEndpointResponse>
}

/** @internal */
export interface GrantRequest {
  readonly found: Discovered
  readonly endpoint: TokenEndpoint
  readonly scopes: readonly string[]
  readonly discovery: Discovery
  /** The thumbprint of the key that the token is to be bound to. */
  readonly keyThumbprint: string | undefined
}

export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** The parameters that every token request has. */
export const scoped = ({ found, scopes }: GrantRequest): Record<string, string> => ({
  resource: found.resource,
  ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
})
