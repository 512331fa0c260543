/** The caller, as identified by the mount's `authenticate` or by the host's own authentication. */
export interface AuthInfo {
  /**
   * The stable identity of the caller. It is the key for sessions, streams, stores and limits, so two callers
   * with the same principal share sessions. If there are several issuers, include the issuer.
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
  /** Other data for handlers, for example token claims. It is never logged or sent. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/** The principal of a caller that did not authenticate. */
export const ANONYMOUS = ''

/**
 * The prefix of the names under which anonymous callers' networks are counted, and the name for callers
 * without an address.
 */
export const NETWORK = '\0'

/**
 * Returns the name under which a mount counts the bytes of an anonymous caller: the IPv4 address, or the
 * first 64 bits of an IPv6 address, because one client may own all addresses that start with these bits.
 */
export function networkOf(address = ''): string {
  if (!address.includes(':') || address.includes('.')) return NETWORK + address
  const [start = ''] = address.split('::')
  const groups = start.split(':').slice(0, 4).join(':')
  return NETWORK + groups.replace(/(?::0)+$/, '')
}

export const principalOf = ({ auth }: { readonly auth?: AuthInfo | undefined }): string =>
  auth?.principal ?? ANONYMOUS
