import { createHash, randomUUID } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, type JWK, SignJWT } from 'jose'
import { type TestRequest, ORIGIN } from './requests.ts'
import { keysOf } from './issuer.ts'

/** Changes that a test makes to a proof. If a member is undefined, it is omitted. */
export interface Change {
  readonly claims?: Readonly<Record<string, unknown>>
  readonly header?: Readonly<Record<string, unknown>>
  /** The key that signs the proof, instead of the key in the header. */
  readonly key?: CryptoKey | Uint8Array
}

/** A client that signs proofs with its key. Tests can change the proofs. */
export interface Prover {
  readonly jwk: JWK
  readonly privateJwk: JWK
  /** The thumbprint for the `cnf` claim in the client's tokens. */
  readonly jkt: string
  readonly prove: (
    token: string,
    request: Pick<TestRequest, 'method' | 'path'>,
    change?: Change,
  ) => Promise<string>
}

export async function createProver(
  name: string,
  now: () => number = Date.now,
  alg = 'ES256',
): Promise<Prover> {
  const { privateKey, publicJwk } = await keysOf(alg, name)
  const { kid: _kid, alg: _alg, ...jwk } = publicJwk
  return {
    jwk,
    privateJwk: await exportJWK(privateKey),
    jkt: await calculateJwkThumbprint(jwk),
    prove: (token, { method, path }, { claims = {}, header = {}, key = privateKey } = {}) =>
      new SignJWT({
        jti: randomUUID(),
        htm: method,
        htu: ORIGIN + path.replace(/\?.*/, ''),
        iat: Math.floor(now() / 1000),
        ath: digestOf(token),
        ...claims,
      })
        .setProtectedHeader({ typ: 'dpop+jwt', alg, jwk, ...header })
        .sign(key),
  }
}

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url')
