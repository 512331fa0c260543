import { type LegacySseOptions, type Probe, type Route, routePaths } from '@jetway/core/http'

/** Finds the route or probe for a request from its URL and the URL that the client sent. */
export type Router = (url: string, original: string) => Route | Probe | undefined

/** The MCP path of a mount if the option `path` is not set. */
export const DEFAULT_PATH = '/mcp'

export const pathOf = (url: string): string => {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}

/**
 * Creates the router. Paths are relative to the host's mount path, because Express and Connect remove that
 * prefix from the URL. A `path` that repeats the mount path, as in
 * `app.use('/mcp', mcp({ server, path: '/mcp' }))`, is treated as the full path, as it is on Hono.
 */
export function createRouter(
  path: string | undefined,
  legacySse: boolean | LegacySseOptions | undefined,
  probes: ReadonlyMap<string, Probe>,
): Router {
  const paths = new Map<string, Route | Probe>([...probes, ...routePaths(path ?? DEFAULT_PATH, legacySse)])
  return (url, original) => {
    const wanted = pathOf(url)
    const found = paths.get(wanted)
    if (found !== undefined || original === url) return found
    if (path !== undefined) return paths.get(pathOf(original))
    return wanted === '/' ? 'mcp' : undefined
  }
}
