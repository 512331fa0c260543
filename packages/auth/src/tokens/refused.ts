/**
 * Why a token was refused. Clients receive the same reply for every reason. Only the log contains the reason.
 */
export type RefusalReason =
  | 'malformed'
  | 'alg'
  | 'crit'
  | 'typ'
  | 'iss'
  | 'aud'
  | 'exp'
  | 'nbf'
  | 'iat'
  | 'kid'
  | 'signature'
  | 'id-token'
  | 'bound'
  | 'scope'
  | 'principal'
  | 'inactive'
  | 'dpop'

/**
 * The invalid part of a proof of possession. `scheme` and `cnf` mean that the token itself is not bound to a
 * key.
 */
export type ProofCheck =
  | 'scheme'
  | 'cnf'
  | 'header'
  | 'typ'
  | 'alg'
  | 'jwk'
  | 'jkt'
  | 'signature'
  | 'htm'
  | 'htu'
  | 'ath'
  | 'iat'
  | 'jti'
  | 'replay'

/** Thrown if a token is not valid here. The error contains neither claims nor any part of the token. */
export class Refused extends Error {
  readonly reason: RefusalReason
  /** The invalid part of the proof, for the reason `dpop`. */
  readonly check: ProofCheck | undefined

  constructor(reason: RefusalReason, check?: ProofCheck) {
    super(`An access token was refused: ${reason}`)
    this.name = 'Refused'
    this.reason = reason
    this.check = check
  }
}

/** Thrown if a token is valid, but its proof of possession is not. */
export class InvalidProof extends Refused {
  constructor(check: ProofCheck) {
    super('dpop', check)
    this.name = 'InvalidProof'
  }
}

/** Thrown if a proof of possession is valid but does not contain a nonce from this server. */
export class NonceRequired extends Error {
  readonly nonce: string

  constructor(nonce: string) {
    super('The proof needs a nonce')
    this.name = 'NonceRequired'
    this.nonce = nonce
  }
}

/** Thrown if the authorization server cannot be reached, in which case tokens cannot be checked. */
export class Unavailable extends Error {
  constructor(problem: string, options?: ErrorOptions) {
    super(problem, options)
    this.name = 'Unavailable'
  }
}
