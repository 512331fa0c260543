import { usageError } from '../errors.ts'
import { decodeBase64, fromBase64Url, toBase64Url } from './bytes.ts'
import { type Random, secureRandom } from './random.ts'

/** A key of 256 random bits, given as bytes or encoded in base64 or base64url. */
export type SealKey = Uint8Array | string

/** The options of {@link createSealer}. */
export interface SealerOptions {
  /**
   * The first key encrypts data; every key can decrypt it. To rotate keys, put the new key first, and remove
   * the old key later.
   */
  readonly keys: readonly SealKey[]
  /** The name of the option, for error messages. */
  readonly name: string
  readonly random?: Random
}

/**
 * Encrypts ("seals") data for a peer that may neither read nor change it. Uses AES-256-GCM with a key derived
 * for each purpose, so that data sealed for one purpose cannot be opened for another.
 */
export interface Sealer {
  /**
   * Returns the sealed text in base64url, with `sealedLength` characters. It can be opened only with the same
   * purpose and context. It does not contain the context.
   */
  seal(purpose: string, text: string, context: string): Promise<string>
  /**
   * Returns the text, or undefined if it was not sealed with one of the keys for this purpose and context.
   * Never throws.
   */
  open(purpose: string, sealed: string, context: string): Promise<string | undefined>
}

const KEY_BYTES = 32
const MAX_KEYS = 8
const NONCE_BYTES = 12
const TAG_BYTES = 16
const BASE64_KEY = /^[A-Za-z0-9+/_-]{43}=?$/
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Returns the length of the sealed text, in characters, for a text of this many bytes in UTF-8. */
export const sealedLength = (bytes: number): number => Math.ceil(((NONCE_BYTES + bytes + TAG_BYTES) * 4) / 3)

/**
 * Creates a sealer that derives its keys on first use. Nonces are random, so rotate a key before it has sealed
 * 2^32 texts (NIST SP 800-38D, section 8.3).
 *
 * @throws `ERR_MCP_OPTION` unless there are 1 to 8 keys of 32 bytes each
 */
export function createSealer({ keys, name, random = secureRandom }: SealerOptions): Sealer {
  const secrets = readKeys(keys, name)
  /** The derived keys, by purpose. The map stays small, because there are only a few purposes. */
  const derived = new Map<string, readonly Promise<CryptoKey>[]>()
  const keysFor = (purpose: string): readonly Promise<CryptoKey>[] => {
    const known = derived.get(purpose) ?? secrets.map((secret) => derive(secret, purpose))
    derived.set(purpose, known)
    return known
  }
  return {
    async seal(purpose, text, context) {
      const nonce = new Uint8Array(random(NONCE_BYTES))
      const key = (await keysFor(purpose)[0]) as CryptoKey
      const sealed = await crypto.subtle.encrypt(algorithm(nonce, context), key, encoder.encode(text))
      const bytes = new Uint8Array(NONCE_BYTES + sealed.byteLength)
      bytes.set(nonce)
      bytes.set(new Uint8Array(sealed), NONCE_BYTES)
      return toBase64Url(bytes)
    },
    async open(purpose, sealed, context) {
      const bytes = fromBase64Url(sealed)
      if (bytes === undefined) return undefined
      const parameters = algorithm(bytes.slice(0, NONCE_BYTES), context)
      const data = bytes.subarray(NONCE_BYTES)
      for (const key of keysFor(purpose)) {
        try {
          return decoder.decode(await crypto.subtle.decrypt(parameters, await key, data))
        } catch {
          // Try the next key. A peer must not learn why a text could not be opened.
        }
      }
      return undefined
    },
  }
}

async function derive(key: Uint8Array<ArrayBuffer>, purpose: string): Promise<CryptoKey> {
  const secret = await crypto.subtle.importKey('raw', key, 'HKDF', false, ['deriveKey'])
  const info = encoder.encode(`jetway ${purpose}`)
  const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info }
  return crypto.subtle.deriveKey(hkdf, secret, { name: 'AES-GCM', length: 256 }, false, [
    'encrypt',
    'decrypt',
  ])
}

const algorithm = (iv: Uint8Array<ArrayBuffer>, context: string): AesGcmParams => ({
  name: 'AES-GCM',
  iv,
  additionalData: encoder.encode(context),
})

function readKeys(keys: readonly SealKey[], name: string): readonly Uint8Array<ArrayBuffer>[] {
  const read = Array.isArray(keys) ? keys.map(readKey) : []
  if (read.length === 0 || read.length > MAX_KEYS || read.includes(undefined))
    throw usageError('ERR_MCP_OPTION', `${name} must be 1 to ${MAX_KEYS} keys of ${KEY_BYTES} bytes each`)
  return read as Uint8Array<ArrayBuffer>[]
}

/** Copies the key, because the caller may change its array. */
function readKey(key: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (key instanceof Uint8Array) return key.length === KEY_BYTES ? new Uint8Array(key) : undefined
  if (typeof key !== 'string' || !BASE64_KEY.test(key)) return undefined
  return decodeBase64(key.replace('=', ''))
}
