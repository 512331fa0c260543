import type { Claims } from '../tokens/claims.ts'
import { Refused } from '../tokens/refused.ts'

/**
 * The thumbprint of the key that a token is bound to; undefined for a bearer token.
 *
 * @throws Refused for other bindings, such as one to a certificate: a stolen token must be useless without its key
 * @see https://www.rfc-editor.org/rfc/rfc9449#section-6
 */
export function boundKeyOf({ cnf }: Claims): string | undefined {
  if (cnf === undefined) return undefined
  const { jkt, ...others } = typeof cnf === 'object' && cnf !== null ? (cnf as Record<string, unknown>) : {}
  if (typeof jkt !== 'string' || jkt === '' || Object.keys(others).length > 0) throw new Refused('bound')
  return jkt
}
