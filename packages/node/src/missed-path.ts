import type { IncomingMessage } from 'node:http'
import type { Endpoint } from '@jetway/core/http'

/**
 * Creates a function that logs, once, that an MCP client has called `/` or the mount's path with a closing slash. The
 * mount leaves both to the app, whose 404 says nothing about MCP.
 */
export function missedPath({ logger }: Pick<Endpoint, 'logger'>, path: string): MissedPath {
  const right = path.startsWith('/') ? path : `/${path}`
  let logged = false
  return ({ method, headers: { accept } }, requested) => {
    if (logged || method !== 'POST' || (requested !== '/' && requested !== `${right}/`)) return
    // Clients of Streamable HTTP must accept event streams. Other requests of an app rarely do.
    if (accept?.includes('text/event-stream') !== true) return
    logged = true
    const problem = `An MCP client has called / or ${right}/, where this mount does not answer`
    logger.warn({}, `${problem}. Set the client's URL to end in ${right}`)
  }
}

type MissedPath = (request: Pick<IncomingMessage, 'method' | 'headers'>, requested: string) => void
