/** The caller, as identified by the mount's `authenticate` or the host's own authentication. */
export interface AuthInfo {
  /**
   * The stable identity. It is the key for sessions, streams, stores and limits, so two callers with the same
   * principal share sessions. If there are several issuers, include the issuer.
   */
  readonly principal: string
  readonly clientId?: string
  readonly scopes?: readonly string[]
  /**
   * The time at which the authentication expires, in seconds since 1970. More than 60 s after this time, HTTP
   * requests are refused with 401, and event streams end, except for replies to calls. On other connections,
   * this time is ignored.
   */
  readonly expiresAt?: number
  /** Other data for handlers, for example token claims. Never logged or sent. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/** The principal of a caller that did not authenticate. */
export const ANONYMOUS = ''

export const principalOf = ({ auth }: { readonly auth?: AuthInfo | undefined }): string =>
  auth?.principal ?? ANONYMOUS
