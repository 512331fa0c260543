import type { Logger } from '@jetway/core'
import type { Clock } from '@jetway/core/stores'
import type { ProofCheck, Refused, RefusalReason } from './tokens/refused.ts'

const INTERVAL_MS = 1_000

/** The advice for a server's owner, keyed by the reason for the refusal. Expired tokens need no advice. */
const ADVICE: Partial<Record<RefusalReason, string>> = {
  aud: 'The token is for another audience. Compare the audience of the authorization server with the address of this server',
  iss: 'The token is of another issuer. Compare the option issuer with the issuer of the authorization server, letter by letter',
  alg: 'The signature algorithm is not accepted: see the option algorithms of jwt',
  typ: 'The token is not an access token',
  kid: 'No key of the issuer has signed it, several keys fit and the token names none, or its key cannot be used, such as an RSA key below 2,048 bits',
  'id-token': 'The client has sent an ID token instead of an access token',
  bound: 'The token is bound to a key, and was sent as a bearer token: see the option dpop',
}

const PROOF_ADVICE: Partial<Record<ProofCheck, string>> = {
  scheme: 'The option dpop requires tokens that are bound to a key, and this was sent as a bearer token',
  cnf: 'The token is not bound to a key, and was sent with a proof. Have the authorization server bind it',
  htu: 'The proof is for another address. Compare the address that clients use with publicUrl of the mount',
  iat: 'The proof was made more than 5 minutes ago, or in the future. Compare the clocks',
}

/** Logs each reason for refusing tokens at most once a second. Never logs any part of a token. */
export class RefusalLog {
  readonly #logger: Logger
  readonly #clock: Clock
  readonly #last = new Map<string, { at: number; skipped: number }>()

  constructor(logger: Logger, clock: Clock) {
    this.#logger = logger
    this.#clock = clock
  }

  add({ reason, check }: Refused, audiences: readonly string[]): void {
    const now = this.#clock.now()
    const key = check === undefined ? reason : `${reason} ${check}`
    const last = this.#last.get(key)
    if (last !== undefined && now - last.at < INTERVAL_MS) {
      last.skipped++
      return
    }
    this.#last.set(key, { at: now, skipped: 0 })
    const fields = {
      reason,
      ...(check !== undefined && { check }),
      skipped: last?.skipped ?? 0,
      ...(reason === 'aud' && { expected: audiences }),
    }
    const advice = check === undefined ? ADVICE[reason] : PROOF_ADVICE[check]
    if (advice === undefined) this.#logger.info(fields, 'An access token was refused')
    else this.#logger.warn(fields, `An access token was refused. ${advice}`)
  }
}
