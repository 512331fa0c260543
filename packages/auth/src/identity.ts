import type { AuthInfo } from '@jetway/core'
import type { OAuthExtra, OAuthOptions } from './options.ts'
import { type Claims, clientOf, scopesOf, subjectOf, type VerifiedToken } from './tokens/claims.ts'
import { createImplied } from './tokens/implied-scopes.ts'
import { Refused } from './tokens/refused.ts'

/**
 * Makes `ctx.auth` of a verified token. It is frozen, because all requests with the token share it.
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

function deepFreeze<T extends object | Claims>(value: T): T {
  for (const member of Object.values(value))
    if (typeof member === 'object' && member !== null) deepFreeze(member as object)
  return Object.freeze(value)
}
