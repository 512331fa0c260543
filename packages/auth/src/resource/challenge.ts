/** The parameters of a challenge. */
export interface Challenge {
  readonly error?: 'invalid_token' | 'insufficient_scope'
  readonly scopes: readonly string[]
  readonly metadataUrl: string
}

/**
 * A `WWW-Authenticate` header.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9728#section-5.1
 */
export function challengeText({ error, scopes, metadataUrl }: Challenge): string {
  const parameters = [
    ...(error === undefined ? [] : [`error="${error}"`]),
    `resource_metadata="${metadataUrl.replaceAll('"', '%22')}"`,
    ...(scopes.length === 0 ? [] : [`scope="${scopes.join(' ')}"`]),
  ]
  return `Bearer ${parameters.join(', ')}`
}
