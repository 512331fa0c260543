import { usageError } from '../../errors.ts'
import type { EndpointOptions } from '../options.ts'
import { check, checkArray } from '../../util/check-options.ts'
import { remember } from './headers.ts'

/** The maximum number of Host and Origin values that are cached with their results. */
const MAX_REMEMBERED = 256

interface Host {
  readonly name: string
  readonly port: string | undefined
}

/** Parses `name[:port]` strictly: without user info, a path or a trailing dot. */
function parseHost(text: string): Host | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)(?::(\d{1,5}))?$/.exec(text.toLowerCase())
  return match?.[1] === undefined ? undefined : { name: match[1], port: match[2] }
}

const IPV4_LOOPBACK = /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/

const isLoopbackName = (name: string): boolean =>
  name === 'localhost' || name === '[::1]' || IPV4_LOOPBACK.test(name)

/** Returns whether an address can be reached only from the local machine. */
export const isLoopbackAddress = (address: string): boolean =>
  address === '127.0.0.1' ||
  address === '::1' ||
  address === '::ffff:127.0.0.1' ||
  IPV4_LOOPBACK.test(address.startsWith('::ffff:') ? address.slice(7) : address)

const isDefaultPort = (port: string): boolean => port === '80' || port === '443'

/** Returns whether a host matches an allowed host. An allowed host without a port matches every port. */
const matches = (allowed: Host, host: Host): boolean =>
  allowed.name === host.name &&
  (allowed.port === undefined ||
    allowed.port === host.port ||
    (isDefaultPort(allowed.port) && host.port === undefined))

/** Decides which Host and Origin headers are accepted. */
export interface HostGuard {
  /**
   * Whether a Host header is accepted.
   *
   * @param local - whether the socket has a loopback address; undefined if the address is unknown
   */
  readonly host: (value: string | undefined, local: boolean | undefined) => boolean
  /** Whether a Host header names the local machine. */
  readonly isLoopback: (value: string) => boolean
  /** Whether an Origin header is accepted. */
  readonly origin: (value: string) => boolean
}

/**
 * Checks the Host and Origin headers. In a DNS rebinding attack, a page rebinds its own host name to a
 * loopback address, but both headers still contain that name. A loopback socket therefore accepts only
 * loopback names, unless `allowedHosts` is set.
 *
 * @throws `ERR_MCP_OPTION` for an entry that is not a host, an origin or a URL
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
 */
export function createHostGuard({
  allowedHosts,
  allowedOrigins,
  publicUrl,
}: Pick<EndpointOptions, 'allowedHosts' | 'allowedOrigins' | 'publicUrl'>): HostGuard {
  checkArray('allowedHosts', allowedHosts, "['api.example.com']")
  checkArray('allowedOrigins', allowedOrigins, "['https://app.example.com']")
  const url = publicUrl === undefined ? undefined : parsePublicUrl(publicUrl)
  const named = (allowedHosts ?? []).filter((entry) => entry !== '*')
  const hosts = named.map((entry) => parseAllowedHost(entry, 'allowedHosts'))
  if (url !== undefined) hosts.push(parseAllowedHost(url.host, 'publicUrl'))
  const anyHost = allowedHosts?.includes('*') === true
  const listed = remember((value) => {
    const host = parseHost(value)
    return host !== undefined && (anyHost || hosts.some((allowed) => matches(allowed, host)))
  }, MAX_REMEMBERED)
  const loopback = remember((value) => isLoopbackName(parseHost(value)?.name ?? ''), MAX_REMEMBERED)
  return {
    host: (value, local) => {
      if (allowedHosts === undefined && local !== true) return true
      if (value === undefined) return false
      return listed(value) || (allowedHosts === undefined && loopback(value))
    },
    isLoopback: loopback,
    origin: createOriginRule(allowedOrigins, url),
  }
}

function createOriginRule(
  allowedOrigins: readonly string[] | undefined,
  url: URL | undefined,
): (value: string) => boolean {
  const listed = (allowedOrigins ?? []).filter((entry) => entry !== '*').map(parseAllowedOrigin)
  const anyOrigin = allowedOrigins?.includes('*') === true
  const origins = new Set(url === undefined ? listed : [...listed, originOf(url.protocol, url.host)])
  return remember((value) => {
    const origin = parseOrigin(value)
    if (origin === undefined) return false
    if (anyOrigin || origins.has(origin.text)) return true
    return allowedOrigins === undefined && origin.web && isLoopbackName(origin.name)
  }, MAX_REMEMBERED)
}

interface Origin {
  readonly text: string
  readonly name: string
  readonly web: boolean
}

/** Parses a single origin. Returns undefined for `null`, a list, or an origin with a path. */
function parseOrigin(text: string): Origin | undefined {
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]*:)\/\/(.+)$/i.exec(text) ?? []
  const host = parseHost(rest)
  if (host === undefined) return undefined
  const protocol = scheme.toLowerCase()
  return {
    text: originOf(protocol, rest),
    name: host.name,
    web: protocol === 'http:' || protocol === 'https:',
  }
}

function originOf(protocol: string, host: string): string {
  const lower = host.toLowerCase()
  const standard = protocol === 'https:' ? ':443' : protocol === 'http:' ? ':80' : undefined
  return `${protocol}//${standard !== undefined && lower.endsWith(standard) ? lower.slice(0, -standard.length) : lower}`
}

function parsePublicUrl(value: string | URL): URL {
  const valid = URL.canParse(String(value)) && /^https?:$/.test(new URL(value).protocol)
  check('publicUrl', valid, 'must be an absolute http: or https: URL')
  return new URL(value)
}

function parseAllowedHost(entry: string, option: string): Host {
  const host = typeof entry === 'string' ? parseHost(entry) : undefined
  if (host === undefined)
    throw usageError('ERR_MCP_OPTION', `${option}: "${entry}" is not a host or host:port`)
  return host
}

function parseAllowedOrigin(entry: string): string {
  const origin = typeof entry === 'string' ? parseOrigin(entry) : undefined
  const text = `allowedOrigins: "${entry}" is not an origin such as https://app.example.com`
  if (origin === undefined) throw usageError('ERR_MCP_OPTION', text)
  return origin.text
}
