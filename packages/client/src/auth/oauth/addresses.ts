import ipaddr from 'ipaddr.js'
import { AuthorizationError } from './errors.ts'

/** Decides which URLs from metadata may be contacted. */
export interface AddressPolicy {
  /** Checks a URL before its host is resolved. @throws AuthorizationError `address` */
  check(address: string | URL): URL
  /** Whether the host of a checked URL may resolve to this IP address. */
  allows(url: URL, ip: string): boolean
}

export interface TrustedAddresses {
  readonly server: URL
  /** URLs from the user's configuration, in addition to the server's URL. */
  readonly trustedUrls: readonly URL[]
  /** Host names and IP addresses that need not be public. */
  readonly allowHosts: readonly string[]
}

/**
 * Returns the policy for URLs from metadata. Metadata could name services that only this process can reach,
 * such as a cloud's metadata service, a router or a local database. Therefore, URLs from metadata must be
 * public and use https. Configured URLs may be private. If the server is on loopback, other loopback
 * addresses are allowed, even over http.
 *
 * @see
 * https://modelcontextprotocol.io/docs/tutorials/security/security_best_practices#server-side-request-forgery-ssrf
 */
export function addressPolicy({ server, trustedUrls, allowHosts }: TrustedAddresses): AddressPolicy {
  const origins = new Set([server, ...trustedUrls].map((url) => url.origin))
  const hosts = new Set(allowHosts.map((host) => bare(host.toLowerCase())))
  const onLoopback = rangeOf(bare(server.hostname)) === 'loopback'
  const isChosen = (url: URL): boolean => origins.has(url.origin) || hosts.has(bare(url.hostname))
  const mayReach = (url: URL, range: string): boolean =>
    range === 'unicast' || isChosen(url) || (onLoopback && range === 'loopback')

  return {
    check(address) {
      if (!URL.canParse(address)) throw refused('an invalid URL')
      const url = new URL(address)
      const range = rangeOf(bare(url.hostname))
      const isPlain = url.protocol === 'http:' && range === 'loopback' && (onLoopback || isChosen(url))
      if (url.protocol !== 'https:' && !isPlain) throw refused(`${url.origin}, which is not https`)
      if (url.username !== '' || url.password !== '') throw refused(`${url.origin} with a user name`)
      if (range !== undefined && !mayReach(url, range)) throw refused(`${url.origin}, which is not public`)
      return url
    },
    allows: (url, ip) => mayReach(url, rangeOf(ip) ?? 'invalid'),
  }
}

const refused = (what: string): AuthorizationError =>
  new AuthorizationError(
    'address',
    `Metadata names ${what}. If you trust the host, serve it over https and add it to allowHosts`,
  )

/** Removes the brackets of an IPv6 address and a trailing dot. */
const bare = (host: string): string => host.replace(/^\[|\]$/g, '').replace(/\.$/, '')

/**
 * Returns the range of an IP address, or undefined for a host name. An IPv4-mapped IPv6 address counts as IPv4.
 */
function rangeOf(host: string): string | undefined {
  // https://www.rfc-editor.org/rfc/rfc6761#section-6.3
  if (host === 'localhost' || host.endsWith('.localhost')) return 'loopback'
  if (!ipaddr.isValid(host)) return undefined
  const ip = ipaddr.process(host)
  if (ip.kind() === 'ipv4') return ip.range()
  const [first = 0] = (ip as ipaddr.IPv6).parts
  // Only this block is assigned. See https://www.iana.org/assignments/ipv6-unicast-address-assignments.
  if (ip.range() === 'unicast' && (first & 0xe000) !== 0x2000) return 'reserved'
  return ip.range()
}
