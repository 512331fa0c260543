import type { Clock } from '@jetway/core/stores'
import type { Logger } from '@jetway/core'
import type { FetchJson } from './fetch-json.ts'
import type { VerifiedToken } from '../tokens/claims.ts'

/** Values of `oauth` and its mount, for a check. */
export interface CheckContext {
  readonly issuer: string
  readonly clock: Clock
  readonly logger: Logger
  readonly fetchJson: FetchJson
}

/** Keeps the request alive for work that continues after its response, as Workers need it. */
export type KeepAlive = (work: Promise<unknown>) => void

/** Checks the tokens of one issuer. */
export interface TokenVerifier {
  /**
   * @param audiences - of which the token must name one
   * @throws Refused, Unavailable
   */
  verify(token: string, audiences: readonly string[], keepAlive: KeepAlive): Promise<VerifiedToken>
}

/** How the tokens of an issuer are checked: `jwt()` or `introspection({ … })`. */
export interface TokenCheck {
  /** Whether the tokens have claims that anyone can read. */
  readonly kind: 'jwt' | 'opaque'
  /** @internal */
  create(context: CheckContext): TokenVerifier
}
