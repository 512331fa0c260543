import { REVISIONS } from '@jetway/core/protocol'
import type { AuthorizationServer } from 'oauth4webapi'
import type { AddressPolicy } from './addresses.ts'
import { AuthorizationError } from './errors.ts'
import type { PlainFetch } from './fetch.ts'

/** What is known of a server's authorization before anybody is asked for a token. */
export interface Discovered {
  /** What tokens are for: https://www.rfc-editor.org/rfc/rfc8707#section-2 */
  readonly resource: string
  /** The scopes that basic use needs, where the server says so. */
  readonly scopesSupported: readonly string[] | undefined
  /** Metadata whose issuer is the one that was asked for. */
  readonly authorizationServer: AuthorizationServer
  /** Where the server said that its metadata is. */
  readonly resourceMetadata: string | undefined
  /** Whether the endpoints are those that old servers have without saying so. */
  readonly isAssumed: boolean
}

export interface Discovery {
  readonly server: URL
  readonly fetch: PlainFetch
  readonly policy: AddressPolicy
  /** Which of several authorization servers to use. */
  choose(issuers: readonly string[], resource: string): string | Promise<string>
}

/**
 * Finds the authorization server of a server: by the address in its challenge, else by the well-known addresses of
 * protected resources, else, for servers of before there were any, at the server's own origin.
 *
 * @throws AuthorizationError `address`, `network`, `discovery`, `issuer`
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/authorization-server-discovery
 */
export async function discover(at: Discovery, challenged: string | undefined): Promise<Discovered> {
  const metadata = await resourceMetadata(at, challenged)
  if (metadata === undefined) return await atOwnOrigin(at)
  const { resource, issuers, scopesSupported } = metadata
  const issuer = await at.choose(issuers, resource)
  if (!issuers.includes(issuer))
    throw new AuthorizationError(
      'issuer',
      `${at.server.origin} does not name the chosen authorization server`,
    )
  const authorizationServer = await serverMetadataOf(at, issuer)
  return { resource, scopesSupported, authorizationServer, resourceMetadata: challenged, isAssumed: false }
}

/** The metadata of an issuer, from the first of its well-known addresses that has any. */
export async function serverMetadataOf(at: Discovery, issuer: string): Promise<AuthorizationServer> {
  const found = await serverMetadata(at, wellKnown(at.policy.check(issuer)), [issuer])
  if (found !== undefined) return found
  throw new AuthorizationError('discovery', `${new URL(issuer).origin} has no authorization server metadata`)
}

interface ResourceMetadata {
  readonly resource: string
  readonly issuers: readonly string[]
  readonly scopesSupported: readonly string[] | undefined
}

/** https://www.rfc-editor.org/rfc/rfc9728#section-3 */
async function resourceMetadata(
  at: Discovery,
  challenged: string | undefined,
): Promise<ResourceMetadata | undefined> {
  const { origin, pathname, search } = at.server
  const root = `${origin}/.well-known/oauth-protected-resource`
  const inserted =
    pathname === '/' && search === '' ? [] : [`${root}${pathname === '/' ? '' : pathname}${search}`]
  for (const address of challenged === undefined ? [...inserted, root] : [challenged]) {
    const found = await readJson(at, address)
    if (found !== undefined) return checkResource(at.server, found)
  }
  if (challenged === undefined) return undefined
  throw new AuthorizationError('discovery', `${origin} names resource metadata that is not there`)
}

function checkResource(server: URL, found: Record<string, unknown>): ResourceMetadata {
  const { resource, authorization_servers: issuers, scopes_supported: scopes } = found
  if (typeof resource !== 'string' || !covers(resource, server))
    throw new AuthorizationError(
      'discovery',
      `The resource metadata of ${server.origin} is that of another resource: a token for it must not be sent here`,
    )
  if (!isStrings(issuers) || issuers.length === 0)
    throw new AuthorizationError(
      'discovery',
      `The resource metadata of ${server.origin} names no authorization server`,
    )
  return { resource, issuers, scopesSupported: isStrings(scopes) ? scopes : undefined }
}

/** Whether a resource is the server or, on the same origin, a path above it. */
function covers(resource: string, server: URL): boolean {
  if (!URL.canParse(resource) || resource.includes('#')) return false
  const { origin, pathname, search } = new URL(resource)
  if (origin !== server.origin || (search !== '' && search !== server.search)) return false
  const above = pathname.endsWith('/') ? pathname : `${pathname}/`
  return pathname === server.pathname || server.pathname.startsWith(above) || above === `${server.pathname}/`
}

/**
 * The 2025-03-26 way: metadata at the root of the server's origin, else endpoints at fixed paths.
 *
 * @see https://modelcontextprotocol.io/specification/2025-03-26/basic/authorization#authorization-base-url
 */
async function atOwnOrigin(at: Discovery): Promise<Discovered> {
  const { origin } = at.policy.check(at.server)
  const resource = canonical(at.server)
  // An origin is written with and without a slash, and here the name is ours, not one that the server gave.
  const found = await serverMetadata(at, wellKnown(new URL(origin)), [origin, `${origin}/`])
  const known = { resource, scopesSupported: undefined, resourceMetadata: undefined }
  if (found !== undefined) return { ...known, authorizationServer: found, isAssumed: false }
  const authorizationServer = {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
  }
  return { ...known, authorizationServer, isAssumed: true }
}

/** The name of a server that has given itself none: without a fragment, and without a slash that says nothing. */
const canonical = ({ origin, pathname, search }: URL): string =>
  `${origin}${pathname === '/' && search === '' ? '' : pathname}${search}`

/** The addresses of metadata, in the order in which they are to be tried. */
function wellKnown(issuer: URL): readonly string[] {
  const path = issuer.pathname.replace(/\/$/, '')
  const inserted = ['oauth-authorization-server', 'openid-configuration'].map(
    (name) => `${issuer.origin}/.well-known/${name}${path}`,
  )
  return path === '' ? inserted : [...inserted, `${issuer.origin}${path}/.well-known/openid-configuration`]
}

async function serverMetadata(
  at: Discovery,
  addresses: readonly string[],
  issuers: readonly string[],
): Promise<AuthorizationServer | undefined> {
  let isForeign = false
  for (const address of addresses) {
    const found = await readJson(at, address)
    if (found === undefined) continue
    // Compared as text: https://www.rfc-editor.org/rfc/rfc8414#section-3.3
    if (issuers.includes(found['issuer'] as string)) return found as unknown as AuthorizationServer
    isForeign = true
  }
  if (!isForeign) return undefined
  throw new AuthorizationError(
    'issuer',
    `The metadata of the authorization server ${issuers[0]} is that of another issuer; it is not used`,
  )
}

/** A JSON object; undefined where there is none, as at servers that answer every address with a page. */
async function readJson(at: Discovery, address: string): Promise<Record<string, unknown> | undefined> {
  const response = await at.fetch(address, {
    // https://modelcontextprotocol.io/specification/2025-03-26/basic/authorization#server-metadata-discovery-headers
    headers: { accept: 'application/json', 'mcp-protocol-version': REVISIONS[0]?.version ?? '' },
  })
  if (response.status >= 500)
    throw new AuthorizationError(
      'discovery',
      `${new URL(address).origin} answered ${response.status} to a request for metadata`,
    )
  if (response.status !== 200) return undefined
  try {
    const value: unknown = await response.json()
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

const isStrings = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')
