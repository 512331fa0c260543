import { type Authenticate, documentsOf, type HttpReply, type WellKnown } from '@jetway/core/http'
import { UsageError } from '@jetway/core'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { setHeaders } from './plugin-mount.ts'
import { PluginRequest } from './request.ts'
import { HIDDEN, METHODS } from './routes.ts'

const ADD =
  'The authorization metadata of an MCP mount below a prefix is at the root of the origin. Add this line to the root app: app.register(resourceMetadata, { authenticate })'

/**
 * Adds routes for a mount's public documents. A plugin below a prefix can have routes below this prefix only.
 *
 * If nothing else routes the documents at the root, starting the app fails with `ERR_MCP_OPTION`.
 */
export function routeWellKnown(app: FastifyInstance, wellKnown: WellKnown | undefined): void {
  if (wellKnown === undefined) return
  // Clients may add a trailing slash, which the other adapters also allow.
  const { ignoreTrailingSlash, routerOptions } = app.initialConfig
  const ends = (routerOptions?.ignoreTrailingSlash ?? ignoreTrailingSlash) === true ? [''] : ['', '/']
  const prefix = app.prefix.replace(/\/$/, '')
  const own = wellKnown.paths.filter((path) => path.startsWith(`${prefix}/`))
  // If there are several mounts, the document at the root is that of the first one.
  for (const url of own.flatMap((path) => ends.map((end) => path + end)))
    if (!app.hasRoute({ url, method: 'GET' })) route(app, url.slice(prefix.length), wellKnown)
  if (prefix !== '')
    app.addHook('onReady', async () => {
      if (!wellKnown.elsewhere) throw new UsageError('ERR_MCP_OPTION', ADD)
    })
}

/**
 * Serves the authorization metadata of mounts below a prefix, at the root of the app:
 * `app.register(resourceMetadata, { authenticate })`.
 *
 * @throws `ERR_MCP_OPTION` if it is registered below a prefix, and for an `authenticate` without metadata
 */
export async function resourceMetadata(
  app: FastifyInstance,
  { authenticate }: { readonly authenticate: Authenticate },
): Promise<void> {
  if (!isRoot(app)) throw new UsageError('ERR_MCP_OPTION', ADD)
  const documents = documentsOf(authenticate, 'app.register(resourceMetadata, { authenticate })')
  for (const url of ['', '/*']) route(app, `/.well-known/oauth-protected-resource${url}`, documents)
}

const isRoot = ({ prefix }: FastifyInstance): boolean => prefix === '' || prefix === '/'

function route(app: FastifyInstance, url: string, wellKnown: WellKnown): void {
  app.route({
    method: METHODS,
    url,
    exposeHeadRoute: false,
    schema: HIDDEN,
    handler(request: FastifyRequest, reply: FastifyReply) {
      const httpRequest = new PluginRequest('mcp', request, reply, {
        locals: undefined,
        auth: undefined,
        logs: false,
      })
      let answer: HttpReply | undefined
      try {
        answer = wellKnown.answer(httpRequest)
        // The constructor throws if a header cannot be sent.
        void new Headers(answer?.headers)
      } catch (error) {
        // Fastify's own error handler would send the error's message to the client.
        request.log.error({ err: error }, 'A public document could not be served')
        return reply.code(500).send('')
      }
      if (answer === undefined) return reply.callNotFound()
      reply.code(answer.status)
      setHeaders(reply, answer.headers)
      return reply.send(answer.body)
    },
  })
}
