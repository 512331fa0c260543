/** Why a token was refused. Clients get the same answer for all of them; the log gets the reason. */
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

/** A token is not valid here. Has no claim and no part of the token. */
export class Refused extends Error {
  readonly reason: RefusalReason

  constructor(reason: RefusalReason) {
    super(`An access token was refused: ${reason}`)
    this.name = 'Refused'
    this.reason = reason
  }
}

/** The authorization server cannot be reached, so no token can be checked. */
export class Unavailable extends Error {
  constructor(problem: string, options?: ErrorOptions) {
    super(problem, options)
    this.name = 'Unavailable'
  }
}
