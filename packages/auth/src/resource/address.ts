import { UsageError } from '@jetway/core'
import { type LegacySseOptions, type ProtectedMount, type Route, routePaths } from '@jetway/core/http'

/** The address of a route as a client uses it, and of its metadata. */
export interface Door {
  readonly resource: string
  /** The path of the metadata, with the path of the route: https://www.rfc-editor.org/rfc/rfc9728#section-3.1 */
  readonly metadataPath: string
  readonly metadataUrl: string
}

/** The doors of one mount at one origin. `message` has that of `sse`: a client opens it by its event stream. */
export interface Doors {
  readonly mcp: Door
  readonly sse: Door | undefined
}

export const WELL_KNOWN = '/.well-known/oauth-protected-resource'

export const doorOf = ({ mcp, sse }: Doors, route: Route): Door => (route === 'mcp' ? mcp : (sse ?? mcp))

/** @param path - of the MCP route */
function doorsAt(origin: string, path: string, legacySse: boolean | LegacySseOptions | undefined): Doors {
  const paths = new Map(Array.from(routePaths(path, legacySse), ([at, route]) => [route, at]))
  const sse = paths.get('sse')
  return { mcp: door(origin, path), sse: sse === undefined ? undefined : door(origin, sse) }
}

function door(origin: string, path: string): Door {
  // As users type it: without the closing slash, which a URL without a path always has.
  const own = path.replace(/\/+$/, '')
  const metadataPath = WELL_KNOWN + own
  return { resource: origin + own, metadataPath, metadataUrl: origin + metadataPath }
}

/**
 * The doors of a mount whose address is known; undefined if it must be taken from requests.
 *
 * @throws `ERR_MCP_OPTION` for an address that is no URL
 */
export function knownDoors(
  resource: string | URL | undefined,
  { publicUrl, path, legacySse }: ProtectedMount,
): Doors | undefined {
  const address = resource ?? publicUrl
  if (address === undefined) return undefined
  if (!URL.canParse(String(address)))
    throw new UsageError(
      'ERR_MCP_OPTION',
      'The option resource must be a URL, such as https://api.example.com/mcp',
    )
  const { origin, pathname } = new URL(address)
  const own = pathname === '/' && resource === undefined ? (path ?? '/') : pathname
  return doorsAt(origin, own, legacySse)
}

/**
 * The doors of a mount whose address is taken from a request. The app may have mounted it below a prefix.
 *
 * @param asked - the path of the request, without a closing slash
 */
export function doorsFor(origin: string, asked: string, { path, legacySse }: ProtectedMount): Doors {
  if (path === undefined) return doorsAt(origin, asked, undefined)
  if (asked === '') return doorsAt(origin, path, legacySse)
  for (const inner of routePaths(path, legacySse).keys()) {
    if (asked.endsWith(inner)) return doorsAt(origin, asked.slice(0, -inner.length) + path, legacySse)
  }
  return doorsAt(origin, asked, undefined)
}

/** The values of `aud` that a token for these doors may have. */
export function audiencesOf({ mcp, sse }: Doors): readonly string[] {
  const resources = [mcp.resource, ...(sse === undefined ? [] : [sse.resource])]
  // A URL without a path is the same with a slash.
  return resources.flatMap((resource) =>
    new URL(resource).pathname === '/' ? [resource, `${resource}/`] : [resource],
  )
}
