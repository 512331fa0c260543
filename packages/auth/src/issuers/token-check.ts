import type { Clock } from '@jetway/core/stores'
import type { Logger } from '@jetway/core'
import type { HttpRequest } from '@jetway/core/http'
import type { FetchJson } from './fetch-json.ts'
import type { VerifiedToken } from '../tokens/claims.ts'

/** The values from `oauth` and its mount that a check uses. */
export interface CheckContext {
  readonly issuer: string
  readonly clock: Clock
  readonly logger: Logger
  readonly fetchJson: FetchJson
}

/**
 * The parts of a request that a check uses. Workers stop all work when the response has been sent, unless the
 * work was passed to `waitUntil`. A promise shared by several requests would then stay pending.
 */
export type TokenRequest = Pick<HttpRequest, 'waitUntil' | 'peer'>

/** Checks the tokens of one issuer. */
export interface TokenVerifier {
  /**
   * @param audiences - the accepted audiences; the token must name one of them
   * @throws Refused, Unavailable
   */
  verify(token: string, audiences: readonly string[], request: TokenRequest): Promise<VerifiedToken>
}

/** The check for an issuer's tokens: `jwt()` or `introspection({ … })`. */
export interface TokenCheck {
  /** `jwt` if the claims can be read from the token itself. */
  readonly kind: 'jwt' | 'opaque'
  /** @internal */
  create(context: CheckContext): TokenVerifier
}
