import { isObject, type JsonObject, REVISIONS } from '@jetway/core/protocol'
import type { AuthorizationServer } from 'oauth4webapi'
import type { AddressPolicy } from './addresses.ts'
import { AuthorizationError } from './errors.ts'
import type { PlainFetch } from './fetch.ts'

/** The authorization server for an MCP server. */
export interface Discovered {
  /** The `resource` parameter. See https://www.rfc-editor.org/rfc/rfc8707#section-2. */
  readonly resource: string
  readonly scopesSupported: readonly string[] | undefined
  /** The metadata of the authorization server. Its `issuer` has been checked. */
  readonly authorizationServer: AuthorizationServer
  readonly resourceMetadata: string | undefined
  /**
   * Whether the authorization server has no metadata. If so, the endpoints are the defaults from revision
   * 2025-03-26.
   */
  readonly isAssumed: boolean
}

export interface Discovery {
  readonly server: URL
  readonly fetch: PlainFetch
  readonly policy: AddressPolicy
  /** Chooses between several authorization servers. */
  choose(issuers: readonly string[], resource: string): string | Promise<string>
}

/**
 * Finds the authorization server through the URL in the challenge, the well-known URLs, or the server's own
 * origin (2025-03-26).
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
      `${at.server.origin} does not list the chosen authorization server`,
    )
  const authorizationServer = await serverMetadataOf(at, issuer)
  return { resource, scopesSupported, authorizationServer, resourceMetadata: challenged, isAssumed: false }
}

/** Returns an issuer's metadata from the first well-known URL that provides it. */
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
async function resourceMetadata(at: Discovery, challenged?: string): Promise<ResourceMetadata | undefined> {
  const { origin, pathname, search } = at.server
  const root = `${origin}/.well-known/oauth-protected-resource`
  const inserted =
    pathname === '/' && search === '' ? [] : [`${root}${pathname === '/' ? '' : pathname}${search}`]
  for (const address of challenged === undefined ? [...inserted, root] : [challenged]) {
    const found = await readJson(at, address)
    if (found !== undefined) return checkResource(at.server, found)
  }
  if (challenged === undefined) return undefined
  throw new AuthorizationError('discovery', `${origin} names resource metadata that does not exist`)
}

function checkResource(server: URL, found: JsonObject): ResourceMetadata {
  const { resource, authorization_servers: issuers, scopes_supported: scopes } = found
  if (typeof resource !== 'string' || !covers(resource, server))
    throw new AuthorizationError(
      'discovery',
      `The resource metadata of ${server.origin} describes another resource, whose tokens must not be sent here`,
    )
  if (!isStrings(issuers) || issuers.length === 0)
    throw new AuthorizationError(
      'discovery',
      `The resource metadata of ${server.origin} lists no authorization server`,
    )
  return { resource, issuers, scopesSupported: isStrings(scopes) ? scopes : undefined }
}

/** Returns whether a resource is the server itself, or a path above it on the same origin. */
function covers(resource: string, server: URL): boolean {
  if (!URL.canParse(resource) || resource.includes('#')) return false
  const { origin, pathname, search } = new URL(resource)
  if (origin !== server.origin || (search !== '' && search !== server.search)) return false
  const above = pathname.endsWith('/') ? pathname : `${pathname}/`
  return pathname === server.pathname || server.pathname.startsWith(above) || above === `${server.pathname}/`
}

/** https://modelcontextprotocol.io/specification/2025-03-26/basic/authorization#authorization-base-url */
async function atOwnOrigin(at: Discovery): Promise<Discovered> {
  const { origin } = at.policy.check(at.server)
  const resource = canonical(at.server)
  // This issuer is only an assumption, so a trailing slash does not matter.
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

/** Returns a URL without its fragment and without the slash of an empty path. */
const canonical = ({ origin, pathname, search }: URL): string =>
  `${origin}${pathname === '/' && search === '' ? '' : pathname}${search}`

/** Returns the well-known URLs of an issuer, in the order in which they are tried. */
function wellKnown(issuer: URL): readonly string[] {
  const path = issuer.pathname.replace(/\/$/, '')
  const inserted = ['oauth-authorization-server', 'openid-configuration'].map(
    (name) => `${issuer.origin}/.well-known/${name}${path}`,
  )
  return path === '' ? inserted : [...inserted, `${issuer.origin}${path}/.well-known/openid-configuration`]
}

async function serverMetadata(at: Discovery, addresses: readonly string[], issuers: readonly string[]) {
  let isForeign = false
  for (const address of addresses) {
    const found = await readJson(at, address)
    if (found === undefined) continue
    // The comparison must be exact. See https://www.rfc-editor.org/rfc/rfc8414#section-3.3.
    if (issuers.includes(found['issuer'] as string)) return found as unknown as AuthorizationServer
    isForeign = true
  }
  if (!isForeign) return undefined
  throw new AuthorizationError(
    'issuer',
    `The metadata of the authorization server ${issuers[0]} names another issuer`,
  )
}

/**
 * Reads a JSON object. Resolves to undefined if there is none, because some servers reply to every URL with
 * an HTML page.
 */
async function readJson(at: Discovery, address: string): Promise<JsonObject | undefined> {
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
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isStrings = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')
