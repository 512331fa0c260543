import {
  decodeJwt,
  decodeProtectedHeader,
  errors,
  jwtVerify,
  type JWTPayload,
  type ProtectedHeaderParameters,
} from 'jose'
import type { Clock } from '@jetway/core/stores'
import type { KeySet } from './key-set.ts'
import { timeOf, type VerifiedToken } from '../tokens/claims.ts'
import { Refused, type RefusalReason, Unavailable } from '../tokens/refused.ts'
import type { TokenRequest, TokenVerifier } from './token-check.ts'

/** The maximum difference between clocks that is tolerated, in seconds. */
export const TOLERANCE_S = 60

export interface JwtVerifierOptions {
  readonly issuer: string
  readonly keys: KeySet
  readonly algorithms: readonly string[]
  readonly typ: 'any' | 'at+jwt'
  readonly clock: Clock
}

/** Reads the issuer from a token without checking the signature. Returns undefined for a token that is not a JWT. */
export function issuerOf(token: string): string | undefined {
  if (token.split('.').length !== 3) return undefined
  try {
    const { iss } = decodeJwt(token)
    return typeof iss === 'string' ? iss : ''
  } catch {
    return undefined
  }
}

/** Checks the JWTs of one issuer. */
export class JwtVerifier implements TokenVerifier {
  readonly #options: JwtVerifierOptions

  constructor(options: JwtVerifierOptions) {
    this.#options = options
  }

  async verify(token: string, audiences: readonly string[], request: TokenRequest): Promise<VerifiedToken> {
    const { issuer, keys, algorithms, clock } = this.#options
    // This check comes before the keys are fetched, so that an invalid token costs nothing.
    const isAccessToken = this.#checkHeader(headerOf(token))
    try {
      const { payload } = await jwtVerify(token, (found) => keys.find(found, request), {
        algorithms: [...algorithms],
        issuer,
        audience: [...audiences],
        clockTolerance: TOLERANCE_S,
        requiredClaims: ['exp', 'iss', 'aud'],
        currentDate: new Date(clock.now()),
      })
      if (!isAccessToken) refuseIdToken(payload)
      refuseFuture(payload, clock)
      return { issuer, claims: payload, expiresAt: timeOf(payload.exp) }
    } catch (error) {
      if (error instanceof Refused || error instanceof Unavailable) throw error
      // jose throws a TypeError for a key that it cannot use, such as an RSA key with fewer than 2,048 bits.
      throw new Refused(error instanceof errors.JOSEError ? reasonOf(error) : 'kid')
    }
  }

  /** @returns whether the header declares an access token */
  #checkHeader({ alg, crit, typ }: ProtectedHeaderParameters): boolean {
    if (typeof alg !== 'string' || !this.#options.algorithms.includes(alg)) throw new Refused('alg')
    if (crit !== undefined) throw new Refused('crit')
    const type = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : typ
    if (type === 'at+jwt') return true
    if (this.#options.typ === 'at+jwt' || (type !== undefined && type !== 'jwt')) throw new Refused('typ')
    return false
  }
}

function headerOf(token: string): ProtectedHeaderParameters {
  try {
    return decodeProtectedHeader(token)
  } catch {
    throw new Refused('malformed')
  }
}

/** Refuses ID tokens. They describe a login at a client, and are not meant for servers. */
function refuseIdToken(claims: JWTPayload): void {
  for (const name of ['nonce', 'at_hash', 'c_hash'])
    if (claims[name] !== undefined) throw new Refused('id-token')
}

/** Refuses an `iat` in the future. jose checks this only if there is a maximum age. */
function refuseFuture({ iat }: JWTPayload, clock: Clock): void {
  if (iat !== undefined && iat > clock.now() / 1000 + TOLERANCE_S) throw new Refused('iat')
}

const BY_CLAIM: Readonly<Record<string, RefusalReason>> = {
  iss: 'iss',
  aud: 'aud',
  exp: 'exp',
  nbf: 'nbf',
  iat: 'iat',
}

function reasonOf(error: errors.JOSEError): RefusalReason {
  if (error instanceof errors.JWTExpired || error instanceof errors.JWTClaimValidationFailed)
    return BY_CLAIM[error.claim] ?? 'malformed'
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'signature'
  return error instanceof errors.JOSEAlgNotAllowed ? 'alg' : 'malformed'
}
