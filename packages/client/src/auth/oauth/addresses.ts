import ipaddr from 'ipaddr.js'
import { AuthorizationError } from './errors.ts'

/** Which addresses may be contacted on the word of strangers. */
export interface AddressPolicy {
  /**
   * The address as a URL, if it may be contacted as far as its text says.
   *
   * @throws AuthorizationError `address`
   */
  check(address: string | URL): URL
  /** Whether a host of {@link check} may be contacted at this IP address, which its name was resolved to. */
  allows(url: URL, ip: string): boolean
}

export interface TrustedAddresses {
  /** The server's own address, chosen by the user. */
  readonly server: URL
  /** Other addresses that the user chose. */
  readonly chosen: readonly URL[]
  /** Host names and IP addresses that the user allows to be anywhere. */
  readonly allowHosts: readonly string[]
}

/**
 * Metadata names addresses, and whoever wrote it may want this process to contact what only this process can reach: a
 * cloud's metadata service, a router, a database on loopback. So addresses have to be https, and public: what the user
 * chose is exempt from the second, and so is loopback where the server itself is on loopback, where http will do too.
 *
 * @see https://modelcontextprotocol.io/docs/tutorials/security/security_best_practices#server-side-request-forgery-ssrf
 */
export function addressPolicy({ server, chosen, allowHosts }: TrustedAddresses): AddressPolicy {
  const origins = new Set([server, ...chosen].map((url) => url.origin))
  const hosts = new Set(allowHosts.map((host) => bare(host.toLowerCase())))
  const onLoopback = isLoopbackName(bare(server.hostname)) || rangeOf(bare(server.hostname)) === 'loopback'
  const isChosen = (url: URL): boolean => origins.has(url.origin) || hosts.has(bare(url.hostname))
  const mayReach = (url: URL, range: string): boolean =>
    range === 'unicast' || isChosen(url) || (onLoopback && range === 'loopback')

  return {
    check(address) {
      const url = parse(address)
      const host = bare(url.hostname)
      const isLocal = isLoopbackName(host) || rangeOf(host) === 'loopback'
      const isPlain = url.protocol === 'http:' && isLocal && (onLoopback || isChosen(url))
      if (url.protocol !== 'https:' && !isPlain) throw refused(`${url.origin}, which is not https`)
      if (url.username !== '' || url.password !== '') throw refused(`${url.origin} with a user's name in it`)
      const range = isLoopbackName(host) ? 'loopback' : rangeOf(host)
      if (range !== undefined && !mayReach(url, range)) throw refused(`${url.origin}, which is not public`)
      return url
    },
    allows: (url, ip) => mayReach(url, rangeOf(ip) ?? 'invalid'),
  }
}

const refused = (what: string): AuthorizationError =>
  new AuthorizationError(
    'address',
    `Metadata sends this client to ${what}. If that is meant, name the host in allowHosts (and serve it over https)`,
  )

function parse(address: string | URL): URL {
  try {
    return new URL(address)
  } catch {
    throw refused('an address that cannot be read')
  }
}

/** A host without the brackets of IPv6 and without the dot that marks a name as complete. */
const bare = (host: string): string => host.replace(/^\[|\]$/g, '').replace(/\.$/, '')

/** Names that mean loopback whatever a resolver says: https://www.rfc-editor.org/rfc/rfc6761#section-6.3 */
const isLoopbackName = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost')

/** The kind of an IP address, an IPv4 address in IPv6 clothes counted as what it is; undefined for a name. */
function rangeOf(host: string): string | undefined {
  if (!ipaddr.isValid(host)) return undefined
  const ip = ipaddr.process(host)
  if (ip.kind() === 'ipv4') return ip.range()
  const [first = 0] = (ip as ipaddr.IPv6).parts
  // Of IPv6, this block alone is given out: https://www.iana.org/assignments/ipv6-unicast-address-assignments
  if (ip.range() === 'unicast' && (first & 0xe000) !== 0x2000) return 'reserved'
  return ip.range()
}
