import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import {
  answerTo,
  type Body,
  keepStream,
  MEDIA_TYPE,
  notify,
  openSession,
  STREAM_HEADERS,
} from '../serving/bare.ts'
import { ready } from '../serving/control.ts'

/** Plain Fastify: parses the body, and sends a prepared response. */
const app = Fastify()
app.post('/mcp', (request, reply) => {
  const body = request.body as Body
  if (body.method === 'initialize') reply.header('mcp-session-id', openSession())
  reply.header('content-type', `${MEDIA_TYPE}; charset=utf-8`)
  return answerTo(body)
})
app.get('/mcp', (_request, reply) => {
  reply.hijack()
  reply.raw.writeHead(200, STREAM_HEADERS).flushHeaders()
  keepStream(reply.raw)
})
await app.listen({ port: 0, host: '127.0.0.1' })
ready((app.server.address() as AddressInfo).port, notify)
