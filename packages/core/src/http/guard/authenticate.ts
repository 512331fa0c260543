import { type AuthInfo, ANONYMOUS } from '../../stores/principal.ts'
import type { Clock } from '../../util/clock.ts'
import type { Logger } from '../../util/logger.ts'
import { type Authenticate, invalidToken, Rejection } from './bearer.ts'
import { refuse } from '../refusals.ts'
import type { HttpReply, HttpRequest } from '../types.ts'

/** How far clocks may differ, in seconds. */
const TOLERANCE_S = 60

/** When credentials become invalid, in ms since 1970. `expiresAt` is in seconds. */
export const validUntil = (expiresAt: number): number => (expiresAt + TOLERANCE_S) * 1000

/** Authenticates every request, and refuses expired credentials. */
export class Authenticator {
  readonly #authenticate: Authenticate | undefined
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #unauthorized: HttpReply
  readonly #expired: HttpReply

  constructor(authenticate: Authenticate | undefined, clock: Clock, logger: Logger) {
    this.#authenticate = authenticate
    this.#clock = clock
    this.#logger = logger
    const challenge = authenticate?.challenge ?? 'Bearer'
    this.#unauthorized = refuse('unauthorized', { headers: { 'www-authenticate': challenge } })
    this.#expired = refuse('unauthorized', { headers: { 'www-authenticate': invalidToken(challenge) } })
  }

  /** The caller, undefined for an anonymous one, or the refusal. */
  authenticate(
    request: HttpRequest,
  ): AuthInfo | HttpReply | undefined | Promise<AuthInfo | HttpReply | undefined> {
    if (this.#authenticate === undefined)
      return request.auth === undefined ? undefined : this.#check(request.auth)
    const found = this.#authenticate(request)
    return found instanceof Promise ? found.then((auth) => this.#check(auth)) : this.#check(found)
  }

  #check(found: AuthInfo | Rejection | undefined): AuthInfo | HttpReply {
    if (found === undefined) return this.#unauthorized
    if (found instanceof Rejection) return this.#reject(found)
    const { principal, expiresAt } = found
    if (typeof principal !== 'string' || principal === ANONYMOUS) {
      // An empty principal would share the sessions of anonymous clients.
      throw new TypeError(
        'authenticate returned no principal. Return { principal }, a string that is not empty',
      )
    }
    if (expiresAt === undefined) return found
    return this.#clock.now() <= validUntil(expiresAt) ? found : this.#expired
  }

  #reject({ status, message, headers, cause }: Rejection): HttpReply {
    if (cause !== undefined) this.#logger.warn({ err: cause }, 'Authentication failed')
    return refuse('unauthorized', { message, headers, status })
  }
}
