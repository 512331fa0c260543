import {
  base64url,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  SignJWT,
  type CryptoKey,
  type JWK,
} from 'jose'
import * as oauth from 'oauth4webapi'

/** Tokens that only the holder of a key can use: https://www.rfc-editor.org/rfc/rfc9449 */
export interface DpopOptions {
  /**
   * `required` refuses tokens that are not bound to the key; `when-supported` takes them from authorization servers that
   * don't say that they can bind.
   *
   * @default 'required'
   */
  readonly mode?: 'required' | 'when-supported'
  /** An asymmetric algorithm. @default 'ES256' */
  readonly alg?: string
  /** By default, a pair is made when it is first needed, kept in memory, and never given out. */
  readonly keyPair?: { readonly privateKey: CryptoKey; readonly publicKey: CryptoKey }
}

interface Keys {
  readonly privateKey: CryptoKey
  readonly jwk: JWK
  readonly thumbprint: string
  /** For the token endpoint, whose nonces the library keeps. */
  readonly handle: oauth.DPoPHandle
}

/** Origins whose nonces are remembered; a forgotten one costs one more request. */
const MAX_ORIGINS = 100

/** Signs what shows that this client holds the key of a token. */
export class Prover {
  readonly alg: string
  readonly isRequired: boolean
  readonly #given: DpopOptions['keyPair']
  readonly #nonces = new Map<string, string>()
  #keys: Promise<Keys> | undefined

  constructor({ mode = 'required', alg = 'ES256', keyPair }: DpopOptions) {
    this.alg = alg
    this.isRequired = mode === 'required'
    this.#given = keyPair
  }

  /** The pair, made when it is first asked for. */
  keys(): Promise<Keys> {
    this.#keys ??= this.#load()
    return this.#keys
  }

  async #load(): Promise<Keys> {
    const { privateKey, publicKey } = this.#given ?? (await generateKeyPair(this.alg))
    const jwk = await exportJWK(publicKey)
    const handle = oauth.DPoP({}, { privateKey, publicKey })
    return { privateKey, jwk, thumbprint: await calculateJwkThumbprint(jwk), handle }
  }

  /** A proof for one request with a token, never to be used twice. */
  async proof(method: string, address: string, token: string): Promise<string> {
    const { privateKey, jwk } = await this.keys()
    const { origin, pathname } = new URL(address)
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))
    const nonce = this.#nonces.get(origin)
    return await new SignJWT({
      htm: method,
      htu: `${origin}${pathname}`,
      ath: base64url.encode(new Uint8Array(digest)),
      ...(nonce === undefined ? {} : { nonce }),
    })
      .setProtectedHeader({ alg: this.alg, typ: 'dpop+jwt', jwk })
      .setIssuedAt()
      .setJti(crypto.randomUUID())
      .sign(privateKey)
  }

  /** Takes up the nonce of an answer, and says whether it is a new one. */
  learn(address: string, headers: Headers): boolean {
    const nonce = headers.get('dpop-nonce')
    const { origin } = new URL(address)
    if (nonce === null || nonce.length > 1_024 || this.#nonces.get(origin) === nonce) return false
    this.#nonces.delete(origin)
    this.#nonces.set(origin, nonce)
    const [oldest] = this.#nonces.keys()
    if (this.#nonces.size > MAX_ORIGINS && oldest !== undefined) this.#nonces.delete(oldest)
    return true
  }
}
