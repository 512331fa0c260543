import { text } from 'node:stream/consumers'
import { toFetch } from '@jetway/core/http'
import { nodeConnection } from '@jetway/node/connection'
import { mcp as fastifyMcp, resourceMetadata as fastifyMetadata } from '@jetway/fastify'
import { mcp as honoMcp, resourceMetadata as honoMetadata } from '@jetway/hono'
import Fastify from 'fastify'
import { Hono } from 'hono'
import type { AdapterSubject } from '../../src/contracts/adapter.ts'
import { EVERY_CAPABILITY } from '@jetway-apps/test-support'
import { listenFetch as listen, originOf } from '@jetway-apps/test-support/mounts'

export const fastify: AdapterSubject = {
  capabilities: EVERY_CAPABILITY,
  async serve(server, options, { headers = {}, parsesBodies, locals, auth, prefix }) {
    const app = Fastify()
    app.addHook('onRequest', async (_request, reply) => void reply.headers(headers))
    if (parsesBodies === true) {
      app.addHook('preHandler', async (request) => {
        request.body = JSON.parse(await text(request.body as AsyncIterable<Buffer> as never))
      })
    }
    const host = { ...(locals && { locals }), ...(auth && { authInfo: auth }) }
    const { authenticate } = options
    const below = prefix === undefined ? {} : { prefix, path: '/mcp' }
    if (prefix !== undefined && authenticate) await app.register(fastifyMetadata, { authenticate })
    await app.register(fastifyMcp, { server, ...options, ...host, ...below })
    app.post('/echo', async ({ body }) => JSON.stringify(body))
    await app.listen({ port: 0, host: '127.0.0.1' })
    return {
      url: `${originOf(app.server)}${prefix ?? ''}/mcp`,
      close: () => app.close(),
      release: async () => {
        // Clients may open a spare connection that they never use, and Node would wait for that connection.
        const cut = setInterval(() => app.server.closeAllConnections(), 20)
        await app.close()
        clearInterval(cut)
      },
    }
  },
}

export const hono: AdapterSubject = {
  capabilities: EVERY_CAPABILITY,
  async serve(server, options, { headers = {}, parsesBodies, locals, auth, prefix = '' }) {
    const app = new Hono()
    app.use(async (c, next) => {
      for (const [name, value] of Object.entries(headers)) c.header(name, value)
      if (parsesBodies === true) await c.req.json()
      return next()
    })
    const mount = honoMcp({ server, ...options, ...(locals && { locals }), ...(auth && { authInfo: auth }) })
    if (prefix !== '' && options.authenticate) app.use(honoMetadata(options.authenticate))
    app.basePath(prefix).use(mount)
    app.post('/echo', async (c) => c.text(await c.req.text()))
    const { origin, release } = await listen(app.fetch)
    return { url: `${origin}${prefix}/mcp`, close: () => mount.close(), release }
  },
}

export const fetchHandler: AdapterSubject = {
  capabilities: ['locals', 'pipelining', 'legacySse', 'documents'],
  async serve(server, options, { locals }) {
    const handler = toFetch(server, { ...options, connection: nodeConnection, ...(locals && { locals }) })
    const { origin, release } = await listen(handler)
    return { url: `${origin}/mcp`, close: () => handler.close(), release }
  },
}
