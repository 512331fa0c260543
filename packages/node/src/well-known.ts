import type { IncomingMessage, ServerResponse } from 'node:http'
import { UsageError } from '@jetway/core'
import { type Authenticate, documentsOf, type WellKnown } from '@jetway/core/http'
import { send } from './answer.ts'
import { pathOf } from './paths.ts'

const ADD =
  'The authorization metadata of an MCP mount below a path is at the root of the origin. Add this line to the root app: app.use(resourceMetadata(authenticate))'

interface Documenter {
  /** Serves a request for a public document. Returns false for any other request. */
  answer(request: IncomingMessage, response: ServerResponse, original: string): boolean
  /** @throws `ERR_MCP_OPTION` if no request for a document can reach the mount */
  check(url: string | undefined, original: string): void
}

/** Serves requests for a mount's public documents. */
export function documenter(wellKnown: WellKnown | undefined): Documenter {
  return {
    answer: (request, response, original) =>
      wellKnown !== undefined && answer(wellKnown, request, response, original),
    check: (url, original) => {
      if (wellKnown !== undefined && !wellKnown.elsewhere && url !== original)
        throw new UsageError('ERR_MCP_OPTION', ADD)
    },
  }
}

/**
 * Serves the authorization metadata of mounts below a path, at the root of an Express or Connect app:
 * `app.use(resourceMetadata(authenticate))`.
 *
 * @throws `ERR_MCP_OPTION` for an `authenticate` without metadata
 */
export function resourceMetadata(
  authenticate: Authenticate,
): (request: IncomingMessage, response: ServerResponse, next: () => void) => void {
  const documents = documentsOf(authenticate, 'resourceMetadata(authenticate)')
  return (request, response, next) => {
    if (!answer(documents, request, response, request.url ?? '/')) next()
  }
}

function answer(
  wellKnown: WellKnown,
  request: IncomingMessage,
  response: ServerResponse,
  original: string,
): boolean {
  const { headers, method = '', socket: peer } = request
  const header = (name: string): string | undefined => {
    const value = (name === 'host' ? headers[':authority'] : undefined) ?? headers[name]
    return Array.isArray(value) ? value[0] : value
  }
  const reply = wellKnown.answer({ method, path: pathOf(original), header, peer })
  if (reply === undefined) return false
  send(response, request, reply)
  return true
}
