import { UsageError } from '@jetway/core'
import { type Authenticate, documentsOf, type HttpReply, type WellKnown } from '@jetway/core/http'
import type { Context, MiddlewareHandler } from 'hono'
import type { RouterRoute } from 'hono/types'
import type { ContentfulStatusCode } from 'hono/utils/http-status'

const ADD =
  'The authorization metadata of an MCP mount is at the root of the origin, which this middleware does not see. Add this line to the root app: app.use(resourceMetadata(authenticate))'

interface Documenter {
  /** Returns the public document that a request asks for, if there is one. */
  answer(c: Context): Response | undefined
  /**
   * Checks the setup once. The route is passed as a function, because reading it takes longer than a small
   * call.
   *
   * @throws `ERR_MCP_OPTION` if no request for a document can reach the mount
   */
  check(currentRoute: () => RouterRoute | undefined): void
}

/** Serves requests for a mount's public documents. */
export function documenter(wellKnown: WellKnown | undefined): Documenter {
  let checked = wellKnown === undefined
  return {
    answer: (c) => (wellKnown === undefined ? undefined : respondWith(wellKnown, c)),
    check: (currentRoute) => {
      if (checked || wellKnown === undefined) return
      const route = currentRoute()
      const seesAll = route === undefined || route.path === '*' || route.path === '/*'
      if (!seesAll && !wellKnown.elsewhere) throw new UsageError('ERR_MCP_OPTION', ADD)
      checked = true
    },
  }
}

/**
 * Serves the authorization metadata of mounts in sub-apps and route handlers, at the root of the app:
 * `app.use(resourceMetadata(authenticate))`.
 *
 * @throws `ERR_MCP_OPTION` for an `authenticate` without metadata
 */
export function resourceMetadata(authenticate: Authenticate): MiddlewareHandler {
  const documents = documentsOf(authenticate, 'resourceMetadata(authenticate)')
  return async (c, next) => respondWith(documents, c) ?? next()
}

function respondWith(wellKnown: WellKnown, c: Context): Response | undefined {
  const { req } = c
  const httpRequest = {
    method: req.method,
    path: req.path,
    header: (name: string) => req.header(name) ?? (name === 'host' ? new URL(req.url).host : undefined),
  }
  const reply = wellKnown.answer(httpRequest)
  return reply && toResponse(c, reply)
}

function toResponse(c: Context, { status, headers, body }: HttpReply): Response {
  // Throws here if a header cannot be sent, because the process would terminate if `@hono/node-server` threw.
  void new Headers(headers)
  return c.body((body ?? null) as string, status as ContentfulStatusCode, { ...headers })
}
