/** Who is calling, as the mount's `authenticate` or the host's own authentication found out. */
export interface AuthInfo {
  /**
   * The stable identity: sessions, streams, stores and limits are keyed by it. Two callers with the same principal
   * share sessions. Include the issuer where there are several.
   */
  readonly principal: string
  readonly clientId?: string
  readonly scopes?: readonly string[]
  /**
   * Seconds since 1970. Over HTTP a request that comes more than 60 s after it is answered 401, and event streams that
   * are no call's reply end then. Nothing looks at it on other connections.
   */
  readonly expiresAt?: number
  /** Anything else handlers should see, for example token claims. Never logged, never sent. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/** The principal of a caller that did not authenticate. */
export const ANONYMOUS = ''

/** The principal of a caller, whether it did or not. */
export const principalOf = ({ auth }: { readonly auth?: AuthInfo | undefined }): string =>
  auth?.principal ?? ANONYMOUS
