import type { IncomingMessage } from 'node:http'
import type { Endpoint } from '@jetway/core/http'

/**
 * Creates a function that logs, once, that an MCP client has requested `/`, or the mount's path with a trailing
 * slash. The mount leaves both paths to the app, and the app's 404 says nothing about MCP.
 */
export function missedPath({ logger }: Pick<Endpoint, 'logger'>, path: string): MissedPath {
  const right = path.startsWith('/') ? path : `/${path}`
  let logged = false
  return ({ method, headers: { accept } }, requested) => {
    if (logged || method !== 'POST' || (requested !== '/' && requested !== `${right}/`)) return
    // Requests from Streamable HTTP clients accept event streams, and other requests to an app rarely do.
    if (accept?.includes('text/event-stream') !== true) return
    logged = true
    const problem = `An MCP client has called / or ${right}/, where this mount does not answer`
    logger.warn({}, `${problem}. Set the client's URL to end in ${right}`)
  }
}

type MissedPath = (request: Pick<IncomingMessage, 'method' | 'headers'>, requested: string) => void
