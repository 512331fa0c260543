import {
  base64url,
  calculateJwkThumbprint,
  decodeProtectedHeader,
  EmbeddedJWK,
  errors,
  type JWK,
  type JWTPayload,
  jwtVerify,
} from 'jose'
import { ALGORITHMS } from '../tokens/algorithms.ts'
import { InvalidProof, Refused } from '../tokens/refused.ts'

/** The request and the token to which a proof must belong. */
export interface Expected {
  readonly method: string
  /** The address of the request, without its query. */
  readonly address: string
  readonly token: string
  /** The thumbprint of the key to which the token is bound. */
  readonly jkt: string
  /** Ms since 1970. */
  readonly now: number
}

export interface Proof {
  readonly id: string
  /** Seconds since 1970. */
  readonly issuedAt: number
  readonly nonce: unknown
}

/** The maximum age of a proof, and the maximum clock difference, in seconds. */
export const WINDOW_S = 300
const MAX_LENGTH = 8_192
const MAX_ID_LENGTH = 256
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/

/**
 * Checks everything in a proof except its nonce and whether the proof has been used before.
 *
 * @throws InvalidProof; Refused if the token is bound to another key
 * @see https://www.rfc-editor.org/rfc/rfc9449#section-4.3
 */
export async function readProof(proof: string | undefined, expected: Expected): Promise<Proof> {
  // Some runtimes join repeated headers with a comma. The result is not a JWT.
  if (proof === undefined || proof.length > MAX_LENGTH || !JWT.test(proof)) throw new InvalidProof('header')
  await checkHeader(proof, expected.jkt)
  const claims = await verified(proof, expected.now)
  return checkedClaims(claims, expected, await digestOf(expected.token))
}

/**
 * Checks the key before the signature, so that only the token's owner can make the server verify a signature.
 */
async function checkHeader(proof: string, jkt: string): Promise<void> {
  const { typ, alg, jwk } = headerOf(proof)
  if (typ !== 'dpop+jwt') throw new InvalidProof('typ')
  if (typeof alg !== 'string' || !ALGORITHMS.includes(alg)) throw new InvalidProof('alg')
  if ((await thumbprintOf(jwk)) !== jkt) throw new Refused('dpop', 'jkt')
}

function headerOf(proof: string): ReturnType<typeof decodeProtectedHeader> {
  try {
    return decodeProtectedHeader(proof)
  } catch {
    throw new InvalidProof('header')
  }
}

async function thumbprintOf(jwk: JWK | undefined): Promise<string> {
  try {
    return await calculateJwkThumbprint(jwk as JWK)
  } catch {
    throw new InvalidProof('jwk')
  }
}

async function verified(proof: string, now: number): Promise<JWTPayload> {
  try {
    // `EmbeddedJWK` rejects private keys.
    const { payload } = await jwtVerify(proof, EmbeddedJWK, {
      algorithms: [...ALGORITHMS],
      currentDate: new Date(now),
    })
    return payload
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw new InvalidProof('jwk')
    throw new InvalidProof(error instanceof errors.JWSSignatureVerificationFailed ? 'signature' : 'header')
  }
}

function checkedClaims(claims: JWTPayload, { method, address, now }: Expected, ath: string): Proof {
  const { jti, htm, htu, iat } = claims
  if (htm !== method) throw new InvalidProof('htm')
  if (normalized(htu) !== normalized(address)) throw new InvalidProof('htu')
  if (claims['ath'] !== ath) throw new InvalidProof('ath')
  if (typeof iat !== 'number' || !(Math.abs(now / 1000 - iat) <= WINDOW_S)) throw new InvalidProof('iat')
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_ID_LENGTH) throw new InvalidProof('jti')
  return { id: jti, issuedAt: iat, nonce: claims['nonce'] }
}

/** Removes the query, the fragment and a trailing slash. Returns undefined for a string that is not a URL. */
function normalized(address: unknown): string | undefined {
  if (typeof address !== 'string' || !URL.canParse(address)) return undefined
  const { origin, pathname } = new URL(address)
  return origin + pathname.replace(/\/$/, '')
}

/** Returns the SHA-256 digest in base64url. */
export async function digestOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return base64url.encode(new Uint8Array(digest))
}
