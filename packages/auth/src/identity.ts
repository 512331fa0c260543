import type { AuthInfo } from '@jetway/core'
import type { OAuthExtra, OAuthOptions } from './options.ts'
import { type Claims, clientOf, scopesOf, subjectOf, type VerifiedToken } from './tokens/claims.ts'
import { Refused } from './tokens/refused.ts'

/**
 * Creates `ctx.auth` from a verified token. The object is frozen, because all requests with the same token
 * share it.
 *
 * @returns a function that throws Refused for a token that identifies neither a client nor a user
 */
export function createIdentify({
  principal,
  implies = {},
}: Pick<OAuthOptions, 'principal' | 'implies'>): (token: VerifiedToken) => AuthInfo {
  const implied = createImplied(implies)
  return ({ issuer, claims, expiresAt }) => {
    const clientId = clientOf(claims)
    const subject = subjectOf(claims)
    const own = principal === undefined ? undefined : principal(claims)
    if (own === '' || (own === undefined && clientId === undefined && subject === undefined))
      throw new Refused('principal')
    const extra: OAuthExtra = { issuer, subject, claims }
    return deepFreeze({
      principal: own ?? JSON.stringify([issuer, clientId ?? '', subject ?? '']),
      ...(clientId !== undefined && { clientId }),
      scopes: implied(scopesOf(claims)),
      ...(expiresAt !== undefined && { expiresAt }),
      extra,
    })
  }
}

/** Adds the scopes that the granted scopes imply, directly or through other scopes. */
function createImplied(
  implies: Readonly<Record<string, readonly string[]>>,
): (granted: readonly string[]) => readonly string[] {
  const rules = new Map(Object.entries(implies))
  if (rules.size === 0) return (granted) => granted
  return (granted) => {
    const all = new Set(granted)
    // The loop also visits members added during the iteration.
    for (const scope of all) for (const included of rules.get(scope) ?? []) all.add(included)
    return [...all]
  }
}

function deepFreeze<T extends object | Claims>(value: T): T {
  for (const member of Object.values(value))
    if (typeof member === 'object' && member !== null) deepFreeze(member as object)
  return Object.freeze(value)
}
