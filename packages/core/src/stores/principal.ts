/** The caller, as identified by the mount's `authenticate` or the host's own authentication. */
export interface AuthInfo {
  /**
   * The stable identity, which is the key of sessions, streams, stores and limits. Two callers with the same
   * principal share sessions. Include the issuer if there are several.
   */
  readonly principal: string
  readonly clientId?: string
  readonly scopes?: readonly string[]
  /**
   * The expiry in seconds since 1970. Over HTTP, requests more than 60 s later get 401, and event streams other
   * than replies to calls end. Other connections ignore it.
   */
  readonly expiresAt?: number
  /** Other data for handlers, for example token claims. Never logged or sent. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/** The principal of a caller that did not authenticate. */
export const ANONYMOUS = ''

export const principalOf = ({ auth }: { readonly auth?: AuthInfo | undefined }): string =>
  auth?.principal ?? ANONYMOUS
