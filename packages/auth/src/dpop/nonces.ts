import { createSealer, type Sealer, type SealKey } from '@jetway/core/http'

const PURPOSE = 'dpop nonce'
const TTL_MS = 300_000
/** How long all clients receive the same nonce, in ms. It limits how often a nonce must be sealed. */
const KEPT_MS = 30_000
/** The maximum length of this server's nonces. */
const MAX_LENGTH = 128

/**
 * Creates and checks the nonces in proofs. A nonce is an encrypted time. The server therefore does not store
 * nonces, and every process with the same keys accepts them.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9449#section-9
 */
export class Nonces {
  /** Whether the keys were configured. If so, several processes can share nonces. */
  readonly isShared: boolean
  #sealer: Sealer | undefined
  #current: { readonly nonce: Promise<string>; readonly madeAt: number } | undefined

  /** @throws `ERR_MCP_OPTION` for invalid keys */
  constructor(keys: readonly SealKey[] | undefined) {
    this.isShared = keys !== undefined
    if (keys !== undefined) this.#sealer = createSealer({ keys, name: 'dpop.nonce.keys' })
  }

  /** @param now - the time, in ms since 1970 */
  current(now: number): Promise<string> {
    if (this.#current === undefined || Math.abs(now - this.#current.madeAt) >= KEPT_MS)
      this.#current = { nonce: this.#getSealer().seal(PURPOSE, String(now), ''), madeAt: now }
    return this.#current.nonce
  }

  async isValid(nonce: unknown, now: number): Promise<boolean> {
    if (typeof nonce !== 'string' || nonce.length > MAX_LENGTH) return false
    const madeAt = await this.#getSealer().open(PURPOSE, nonce, '')
    // The clock of the process that created the nonce may be ahead.
    return madeAt !== undefined && Math.abs(now - Number(madeAt)) < TTL_MS
  }

  /**
   * Creates the sealer on first use, because Workers cannot generate random numbers before the first request.
   */
  #getSealer(): Sealer {
    const random = (): Uint8Array => crypto.getRandomValues(new Uint8Array(32))
    return (this.#sealer ??= createSealer({ keys: [random()], name: 'dpop.nonce.keys' }))
  }
}
