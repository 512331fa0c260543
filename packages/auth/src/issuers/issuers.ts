import type { IssuerOptions } from '../options.ts'
import { issuerOf } from './verify.ts'
import type { VerifiedToken } from '../tokens/claims.ts'
import { Refused } from '../tokens/refused.ts'
import type { CheckContext, TokenRequest, TokenVerifier } from './token-check.ts'

/** Finds a token's issuer, and checks the token with that issuer's verifier. */
export class Issuers {
  /** The verifiers, keyed by issuer, for tokens that name their issuer. */
  readonly #named: ReadonlyMap<string, TokenVerifier>
  /** The verifier for opaque tokens. */
  readonly #opaque: TokenVerifier | undefined

  constructor(issuers: readonly Required<IssuerOptions>[], context: Omit<CheckContext, 'issuer'>) {
    const verifiers = issuers.map(({ issuer, token }) => ({
      issuer,
      kind: token.kind,
      verifier: token.create({ ...context, issuer }),
    }))
    this.#named = new Map(verifiers.map(({ issuer, verifier }) => [issuer, verifier]))
    this.#opaque = verifiers.find(({ kind }) => kind === 'opaque')?.verifier
  }

  /** @throws Refused, Unavailable */
  verify(token: string, audiences: readonly string[], request: TokenRequest): Promise<VerifiedToken> {
    const issuer = issuerOf(token)
    const verifier = issuer === undefined ? this.#opaque : this.#named.get(issuer)
    if (verifier === undefined) throw new Refused(issuer === undefined ? 'malformed' : 'iss')
    return verifier.verify(token, audiences, request)
  }
}
