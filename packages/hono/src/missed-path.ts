import type { Endpoint } from '@jetway/core/http'
import type { Context } from 'hono'

/**
 * Creates a function that logs, once, that an MCP client has requested `/`, or the mount's path with a trailing
 * slash. The mount leaves both paths to the app, and the app's 404 says nothing about MCP.
 */
export function missedPath({ logger }: Pick<Endpoint, 'logger'>, path: string): (c: Context) => void {
  let logged = false
  return ({ req }) => {
    if (logged || req.method !== 'POST' || (req.path !== '/' && !req.path.endsWith(`${path}/`))) return
    // A Streamable HTTP client must accept event streams, which other requests to an app rarely do.
    if (req.header('accept')?.includes('text/event-stream') !== true) return
    logged = true
    const problem = `An MCP client has called / or ${path}/, where this mount does not answer`
    logger.warn({}, `${problem}. Set the client's URL to end in ${path}`)
  }
}
