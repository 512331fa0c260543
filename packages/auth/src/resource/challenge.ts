import { ALGORITHMS } from '../tokens/algorithms.ts'

/** The scheme of the `Authorization` header. */
export type Scheme = 'Bearer' | 'DPoP'

/** The parameters of a challenge. */
export interface Challenge {
  readonly error?: 'invalid_token' | 'insufficient_scope' | 'invalid_dpop_proof' | 'use_dpop_nonce'
  readonly scopes: readonly string[]
  readonly metadataUrl: string
}

/**
 * Returns a `WWW-Authenticate` header with a challenge for each scheme. The first challenge names the metadata and the
 * scopes.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9728#section-5.1
 * @see https://www.rfc-editor.org/rfc/rfc9449#section-7.1
 */
export function challengeText({ error, scopes, metadataUrl }: Challenge, schemes: readonly Scheme[]): string {
  const found = [
    `resource_metadata="${metadataUrl.replaceAll('"', '%22')}"`,
    ...(scopes.length === 0 ? [] : [`scope="${scopes.join(' ')}"`]),
  ]
  const challenges = schemes.map((scheme, index) => {
    const parameters = [
      ...(error === undefined ? [] : [`error="${error}"`]),
      ...(scheme === 'DPoP' ? [`algs="${ALGORITHMS.join(' ')}"`] : []),
      ...(index === 0 ? found : []),
    ]
    return `${scheme} ${parameters.join(', ')}`
  })
  return challenges.join(', ')
}
