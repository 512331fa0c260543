import { type LegacySseOptions, type ProtectedMount, type Route, routePaths } from '@jetway/core/http'
import { checkOption } from '@jetway/core/protocol'

/** The addresses of a route and of its metadata, as clients use them. */
export interface ResourceAddress {
  readonly resource: string
  /**
   * The path of the metadata. It contains the route's path. See
   * https://www.rfc-editor.org/rfc/rfc9728#section-3.1.
   */
  readonly metadataPath: string
  readonly metadataUrl: string
}

/** The addresses of one mount at one origin. */
export interface ResourceAddresses {
  readonly mcp: ResourceAddress
  readonly sse: ResourceAddress | undefined
  /** The URL to which messages are posted. It has no metadata of its own, because clients start at `sse`. */
  readonly message: string | undefined
}

export const WELL_KNOWN = '/.well-known/oauth-protected-resource'

export const addressOf = ({ mcp, sse }: ResourceAddresses, route: Route): ResourceAddress =>
  route === 'mcp' ? mcp : (sse ?? mcp)

/** Returns the URL of a route, without a query. */
export const urlOf = (addresses: ResourceAddresses, route: Route): string =>
  (route === 'message' ? addresses.message : undefined) ?? addressOf(addresses, route).resource

/** @param path - the path of the MCP route */
function addressesAt(
  origin: string,
  path: string,
  legacySse: boolean | LegacySseOptions | undefined,
): ResourceAddresses {
  const paths = new Map(Array.from(routePaths(path, legacySse), ([at, route]) => [route, at]))
  const sse = paths.get('sse')
  const message = paths.get('message')
  return {
    mcp: addressAt(origin, path),
    sse: sse === undefined ? undefined : addressAt(origin, sse),
    message: message === undefined ? undefined : origin + message,
  }
}

function addressAt(origin: string, path: string): ResourceAddress {
  // Users do not type a trailing slash after an origin, but `URL` always adds one.
  const own = path.replace(/\/+$/, '')
  const metadataPath = WELL_KNOWN + own
  return { resource: origin + own, metadataPath, metadataUrl: origin + metadataPath }
}

/**
 * Returns the addresses of a mount with `publicUrl` or `resource`; undefined if requests determine them.
 *
 * @throws `ERR_MCP_OPTION` for an address that is not a URL
 */
export function knownAddresses(
  resource: string | URL | undefined,
  { publicUrl, path, legacySse }: ProtectedMount,
): ResourceAddresses | undefined {
  const address = resource ?? publicUrl
  if (address === undefined) return undefined
  checkOption('resource', URL.canParse(String(address)), 'must be a URL, such as https://api.example.com/mcp')
  const { origin, pathname } = new URL(address)
  const own = pathname === '/' && resource === undefined ? (path ?? '/') : pathname
  return addressesAt(origin, own, legacySse)
}

/**
 * Derives the addresses of a mount from a request. The app may have mounted it below a prefix.
 *
 * @param asked - the path of the request, without a trailing slash
 */
export function addressesFor(
  origin: string,
  asked: string,
  { path, legacySse }: ProtectedMount,
): ResourceAddresses {
  if (path === undefined) {
    const [, ...streams] = routePaths('/', legacySse).keys()
    const found = streams.find((inner) => asked.endsWith(inner))
    // The client of `/sse` posts to `/message` with the same token, so the two routes share one resource.
    return found === undefined
      ? addressesAt(origin, asked, undefined)
      : addressesAt(origin, `${asked.slice(0, -found.length)}/`, legacySse)
  }
  if (asked === '') return addressesAt(origin, path, legacySse)
  for (const inner of routePaths(path, legacySse).keys()) {
    if (asked.endsWith(inner)) return addressesAt(origin, asked.slice(0, -inner.length) + path, legacySse)
  }
  return addressesAt(origin, asked, undefined)
}

/** Lists the accepted values of `aud` for these addresses. */
export function audiencesOf({ mcp, sse }: ResourceAddresses): readonly string[] {
  const resources = [mcp.resource, ...(sse === undefined ? [] : [sse.resource])]
  // A URL without a path is equivalent to the same URL with a slash.
  return resources.flatMap((resource) =>
    new URL(resource).pathname === '/' ? [resource, `${resource}/`] : [resource],
  )
}
