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
import { BoundedMap } from '../../util/bounded-map.ts'

/** The options of DPoP, which binds tokens to a key. See https://www.rfc-editor.org/rfc/rfc9449. */
export interface DpopOptions {
  /**
   * Whether DPoP is required. With `when-supported`, unbound tokens are accepted from servers that do not
   * support DPoP.
   * @default 'required'
   */
  readonly mode?: 'required' | 'when-supported'
  /** The asymmetric signature algorithm. @default 'ES256' */
  readonly alg?: string
  /** The key pair that signs proofs. @default a new pair, kept in memory */
  readonly keyPair?: { readonly privateKey: CryptoKey; readonly publicKey: CryptoKey }
}

interface Keys {
  readonly privateKey: CryptoKey
  readonly jwk: JWK
  readonly thumbprint: string
  /** The library's handle for the token endpoint. It stores the endpoint's nonces. */
  readonly handle: oauth.DPoPHandle
}

/** The maximum number of origins whose nonces are stored. A missing nonce costs one additional request. */
const MAX_ORIGINS = 100

export class DpopProver {
  readonly alg: string
  readonly isRequired: boolean
  readonly #given: DpopOptions['keyPair']
  readonly #nonces = new BoundedMap<string, string>({ maxEntries: MAX_ORIGINS })
  #keys: Promise<Keys> | undefined

  constructor({ mode = 'required', alg = 'ES256', keyPair }: DpopOptions) {
    this.alg = alg
    this.isRequired = mode === 'required'
    this.#given = keyPair
  }

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

  /** Stores the nonce from a response. Returns whether the nonce is new. */
  learn(address: string, headers: Headers): boolean {
    const nonce = headers.get('dpop-nonce')
    const { origin } = new URL(address)
    if (nonce === null || nonce.length > 1_024 || this.#nonces.get(origin) === nonce) return false
    this.#nonces.set(origin, nonce)
    return true
  }
}
