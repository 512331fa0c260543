/** The caller, as identified by the mount's `authenticate` or the host's own authentication. */
export interface AuthInfo {
  /**
   * The stable identity, which is the key of sessions, streams, stores and limits. Two callers with the same
   * principal share sessions. Include the issuer if there are several issuers.
   */
  readonly principal: string
  readonly clientId?: string
  readonly scopes?: readonly string[]
  /**
   * The time at which the authentication expires, in seconds since 1970. More than 60 s after this time, HTTP
   * requests get 401, and event streams end, except for replies to calls. Other connections ignore it.
   */
  readonly expiresAt?: number
  /** Other data for handlers, for example token claims. Never logged or sent. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/** The principal of a caller that did not authenticate. */
export const ANONYMOUS = ''

export const principalOf = ({ auth }: { readonly auth?: AuthInfo | undefined }): string =>
  auth?.principal ?? ANONYMOUS
