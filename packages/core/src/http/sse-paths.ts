import { check } from '../util/check-options.ts'
import type { Route } from './types.ts'

/** The paths of the older HTTP+SSE transport, relative to the directory of the MCP path. */
export interface LegacySseOptions {
  /** The path at which clients open their event streams. @default '/sse' */
  readonly ssePath?: string
  /** The path to which clients post messages. Clients receive its address on the event stream. @default '/message' */
  readonly messagePath?: string
}

/** Both paths, with a leading slash. */
export interface SsePaths {
  readonly sse: string
  readonly message: string
}

const PATH = /^(?:\/[\w.~%!$&'()+,;=@-]+)+$/

/**
 * Returns the paths of the `legacySse` option, or undefined if the option is off.
 *
 * @throws `ERR_MCP_OPTION`
 */
export function resolveSsePaths(option: boolean | LegacySseOptions | undefined): SsePaths | undefined {
  if (option === undefined || option === false) return undefined
  const given = option === true ? {} : option
  check('legacySse', typeof given === 'object' && given !== null, 'must be true, false or an object of paths')
  const paths = {
    sse: checkedPath('ssePath', given.ssePath ?? '/sse'),
    message: checkedPath('messagePath', given.messagePath ?? '/message'),
  }
  check('legacySse', paths.sse !== paths.message, 'must have different paths')
  return paths
}

function checkedPath(name: string, value: unknown): string {
  const path = typeof value === 'string' ? slashed(value) : ''
  check(`legacySse.${name}`, PATH.test(path), 'must be a path such as /sse, without a query')
  return path
}

/** Returns a mount's routes, keyed by path, for adapters that route by path. */
export function routePaths(
  path: string,
  legacySse: boolean | LegacySseOptions | undefined,
): ReadonlyMap<string, Route> {
  const mcp = slashed(path)
  const sse = resolveSsePaths(legacySse)
  const routes = new Map<string, Route>([[mcp, 'mcp']])
  if (sse === undefined) return routes
  const directory = directoryOf(mcp)
  routes.set(directory + sse.sse, 'sse').set(directory + sse.message, 'message')
  const differ = routes.size === 3 && routes.get(mcp) === 'mcp'
  check('legacySse', differ, 'needs paths other than the MCP path')
  return routes
}

/**
 * Finds the route for a path below an unknown base. Every path that does not end like one of the `legacySse`
 * paths is the MCP path. Returns undefined unless `legacySse` is set.
 */
export function routeOf(
  legacySse: boolean | LegacySseOptions | undefined,
): ((path: string) => Route) | undefined {
  const paths = resolveSsePaths(legacySse)
  if (paths === undefined) return undefined
  return (path) => {
    const requested = withoutEnd(path)
    if (requested.endsWith(paths.sse)) return 'sse'
    return requested.endsWith(paths.message) ? 'message' : 'mcp'
  }
}

/**
 * Returns the path at which the client of an event stream can reach `/message`: below the prefix of the public
 * URL, or else below the prefix of the stream's own path. The path never begins with two slashes or backslashes
 * (URL parsers treat both alike), because `//evil.example/sse` would send the client's messages to another
 * host.
 *
 * @param publicPath - the path of the mount's public URL, if it has one
 * @param requested - the path of the request for the event stream, as sent
 */
export function messagePath(
  paths: SsePaths,
  publicPath: string | undefined,
  requested: string | undefined,
): string {
  const path = baseOf(paths, publicPath, requested) + paths.message
  return `/${path.replace(/^[/\\]+/, '')}`
}

function baseOf({ sse }: SsePaths, publicPath: string | undefined, requested: string | undefined): string {
  if (publicPath !== undefined) return directoryOf(publicPath)
  if (requested === undefined) return ''
  const path = withoutEnd(requested)
  return path.endsWith(sse) ? path.slice(0, -sse.length) : directoryOf(path)
}

/** Returns the path with a leading slash. */
export const slashed = (path: string): string => (path.startsWith('/') ? path : `/${path}`)
const withoutEnd = (path: string): string => path.replace(/\/+$/, '')
const directoryOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('/'), 0))
