import { usageError } from '../../errors.ts'
import type { Route } from '../types.ts'

/** Where the older HTTP+SSE transport answers, from the directory in which the MCP path stands. */
export interface LegacySseOptions {
  /** Where a client opens its event stream. @default '/sse' */
  readonly ssePath?: string
  /** Where it posts its messages, as the stream tells it. @default '/message' */
  readonly messagePath?: string
}

/** Both paths from the directory of the MCP path, with a slash in front. */
export interface SsePaths {
  readonly sse: string
  readonly message: string
}

const PATH = /^(?:\/[\w.~%!$&'()+,;=@-]+)+$/

/**
 * The paths that a `legacySse` option asks for; undefined where it asks for none.
 *
 * @throws `ERR_MCP_OPTION`
 */
export function resolveSsePaths(option: boolean | LegacySseOptions | undefined): SsePaths | undefined {
  if (option === undefined || option === false) return undefined
  const given = option === true ? {} : option
  if (typeof given !== 'object' || given === null)
    throw usageError('ERR_MCP_OPTION', 'legacySse must be true, false or an object of paths')
  const paths = {
    sse: checkedPath('ssePath', given.ssePath ?? '/sse'),
    message: checkedPath('messagePath', given.messagePath ?? '/message'),
  }
  if (paths.sse === paths.message)
    throw usageError('ERR_MCP_OPTION', 'legacySse.ssePath and legacySse.messagePath must differ')
  return paths
}

function checkedPath(name: string, value: unknown): string {
  const path = typeof value === 'string' ? slashed(value) : ''
  if (!PATH.test(path))
    throw usageError('ERR_MCP_OPTION', `legacySse.${name} must be a path such as /sse, without a query`)
  return path
}

/** Every door of a mount with its path, for adapters that route by it: the MCP path, and those beside it. */
export function routePaths(
  path: string,
  legacySse: boolean | LegacySseOptions | undefined,
): ReadonlyMap<string, Route> {
  const mcp = slashed(path)
  const beside = resolveSsePaths(legacySse)
  const routes = new Map<string, Route>([[mcp, 'mcp']])
  if (beside === undefined) return routes
  const directory = directoryOf(mcp)
  routes.set(directory + beside.sse, 'sse').set(directory + beside.message, 'message')
  if (routes.size < 3 || routes.get(mcp) !== 'mcp')
    throw usageError('ERR_MCP_OPTION', 'legacySse needs paths other than the MCP path')
  return routes
}

/**
 * Finds the route of a path under a base that is not known: what is neither of the two others is the MCP path. Undefined
 * where there is only the MCP path.
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

export interface Address {
  readonly paths: SsePaths
  /** The path of the mount's public URL, if it has one. */
  readonly publicPath: string | undefined
  /** The path by which the event stream was asked for, as it stood on the wire. */
  readonly requested: string | undefined
}

/**
 * The path under which the client of an event stream reaches `/message`: behind the same prefix as the stream, unless
 * the public URL says that clients see another one. It never begins with two slashes, nor with what URL parsers take for
 * them: `//evil.example/sse` would otherwise send the client's messages to another host.
 */
export function messagePath({ paths, publicPath, requested }: Address): string {
  const path = baseOf(paths, publicPath, requested) + paths.message
  return `/${path.replace(/^[/\\]+/, '')}`
}

function baseOf({ sse }: SsePaths, publicPath: string | undefined, requested: string | undefined): string {
  if (publicPath !== undefined) return directoryOf(publicPath)
  if (requested === undefined) return ''
  const path = withoutEnd(requested)
  return path.endsWith(sse) ? path.slice(0, -sse.length) : directoryOf(path)
}

const slashed = (path: string): string => (path.startsWith('/') ? path : `/${path}`)
const withoutEnd = (path: string): string => path.replace(/\/+$/, '')
const directoryOf = (path: string): string => path.slice(0, Math.max(path.lastIndexOf('/'), 0))
