import type { Logger } from '@jetway/core'
import type { HttpRequest } from '@jetway/core/http'
import { type Clock, MemoryUsedStates, type UsedStates } from '@jetway/core/stores'
import { InvalidProof, NonceRequired, Unavailable } from '../tokens/refused.ts'
import type { Nonces } from './nonces.ts'
import { digestOf, type Proof, readProof, WINDOW_S } from './proof.ts'

/** A token that is bound to a key. */
export interface BoundToken {
  readonly token: string
  /** The key's thumbprint. */
  readonly jkt: string
  readonly principal: string
}

export interface ProofsOptions {
  readonly nonces: Nonces | undefined
  /** Undefined if a single process serves all requests. */
  readonly usedStates: UsedStates | undefined
  readonly clock: Clock
  readonly logger: Logger
}

/** Checks proofs of possession for one mount. Each proof is accepted only once. */
export class Proofs {
  readonly #options: ProofsOptions
  readonly #used: UsedStates

  constructor(options: ProofsOptions) {
    this.#options = options
    this.#used = options.usedStates ?? new MemoryUsedStates({ clock: options.clock })
  }

  /**
   * @param address - the URL of the request, as used by its client
   * @throws InvalidProof, Refused, NonceRequired, Unavailable
   */
  async check(request: HttpRequest, address: string, bound: BoundToken): Promise<void> {
    const { nonces, clock } = this.#options
    const { token, jkt } = bound
    if (isRepeated(request)) throw new InvalidProof('header')
    const now = clock.now()
    const proof = await readProof(request.header('dpop'), {
      method: request.method,
      address,
      token,
      jkt,
      now,
    })
    if (nonces !== undefined && !(await nonces.isValid(proof.nonce, now)))
      throw new NonceRequired(await nonces.current(now))
    if (!(await this.#take(proof, bound))) throw new InvalidProof('replay')
  }

  /**
   * Records that a proof has been used. Returns false if it had already been used. The digest contains the
   * key, so that one client cannot use up another client's ids.
   */
  async #take({ id, issuedAt }: Proof, { jkt, principal }: BoundToken): Promise<boolean> {
    const expiresAt = Math.ceil(issuedAt + WINDOW_S + 1) * 1000
    try {
      return await this.#used.take(await digestOf(`${jkt} ${id}`), expiresAt, principal)
    } catch (error) {
      this.#options.logger.error({ err: error }, 'A DPoP proof cannot be checked for repetition')
      throw new Unavailable('The used proofs cannot be reached', { cause: error })
    }
  }
}

/**
 * Returns whether the header is repeated. If it is, a proxy may have checked a different value from the one
 * that `header('dpop')` returns.
 */
function isRepeated({ rawHeaders = [] }: HttpRequest): boolean {
  let seen = 0
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === 'dpop') seen++
  return seen > 1
}
