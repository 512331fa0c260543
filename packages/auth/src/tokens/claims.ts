import { Refused } from './refused.ts'

/** The claims of an access token, or the members of an introspection response. */
export type Claims = Readonly<Record<string, unknown>>

/**
 * A token that has been checked: it comes from a known issuer, is meant for this server, and is currently
 * valid.
 */
export interface VerifiedToken {
  readonly issuer: string
  readonly claims: Claims
  /** The expiry, in seconds since 1970; undefined if the issuer states no expiry. */
  readonly expiresAt: number | undefined
  /** How long the token may be cached, in ms. @default the `cache.ttlMs` option */
  readonly keptMs?: number
}

const MAX_SCOPES = 256
const MAX_SCOPE_LENGTH = 256

/**
 * Reads a token's scopes: `scope` as text, or `scp` (Entra and Okta) as text or as a list.
 *
 * @throws Refused for more than 256 scopes, or for a scope of more than 256 characters
 */
export function scopesOf({ scope, scp }: Claims): readonly string[] {
  const given = scope ?? scp ?? []
  const scopes = typeof given === 'string' ? given.split(' ') : Array.isArray(given) ? given : []
  const named = scopes.filter((name): name is string => typeof name === 'string' && name !== '')
  if (named.length > MAX_SCOPES || named.some(({ length }) => length > MAX_SCOPE_LENGTH))
    throw new Refused('scope')
  return [...new Set(named)]
}

/** Reads a token's client. RFC 9068 calls it `client_id`, and OpenID providers call it `azp`. */
export function clientOf({ client_id: id, azp }: Claims): string | undefined {
  const client = id ?? azp
  return typeof client === 'string' && client !== '' ? client : undefined
}

export const subjectOf = ({ sub }: Claims): string | undefined =>
  typeof sub === 'string' && sub !== '' ? sub : undefined

/**
 * Reads the thumbprint of the key to which a token is bound; undefined for a bearer token.
 *
 * @throws Refused if the token is bound to anything else, such as a certificate, because a stolen token must be
 * useless without its key
 * @see https://www.rfc-editor.org/rfc/rfc9449#section-6
 */
export function boundKeyOf({ cnf }: Claims): string | undefined {
  if (cnf === undefined) return undefined
  const { jkt, ...others } = typeof cnf === 'object' && cnf !== null ? (cnf as Record<string, unknown>) : {}
  if (typeof jkt !== 'string' || jkt === '' || Object.keys(others).length > 0) throw new Refused('bound')
  return jkt
}

/** Reads a time in a JWT, in whole or fractional seconds. Other values count as absent. */
export const timeOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined
