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

/** Starts the holders that are networks. It also marks a caller without a known address. */
const NETWORK = '\0'

/**
 * Returns the holder of what a mount keeps for an anonymous caller: the IPv4 address, or the first 64 bits of an IPv6
 * address, because one client has all addresses that start with them.
 */
export function networkOf(address = ''): string {
  if (!address.includes(':') || address.includes('.')) return NETWORK + address
  const [start = ''] = address.split('::')
  const groups = start.split(':').slice(0, 4).join(':')
  return NETWORK + groups.replace(/(?::0)+$/, '')
}

/** Returns whether a holder is the network of anonymous callers, not a principal. */
export const isNetwork = (holder: string): boolean => holder.startsWith(NETWORK)

export const principalOf = ({ auth }: { readonly auth?: AuthInfo | undefined }): string =>
  auth?.principal ?? ANONYMOUS
