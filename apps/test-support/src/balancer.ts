import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import { portOf } from './listen.ts'

/** A load balancer without affinity. */
export interface Balancer {
  readonly url: string
  readonly port: number
  /** Ends all connections. */
  stop(): Promise<void>
}

/** The hop-by-hop headers. */
const HOP_BY_HOP: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding'])

/**
 * Sends each request to the next port, on a new connection. Two consecutive requests from a client never reach
 * the same server, even if the client keeps its connection open.
 *
 * @param ports - called for each request, so that servers may start and stop
 */
export async function startBalancer(ports: () => readonly number[]): Promise<Balancer> {
  let turn = 0
  const server = createServer((received, reply) => {
    const all = ports()
    const port = all[turn++ % all.length]
    if (port === undefined) {
      reply.writeHead(502).end()
      return
    }
    const { method, url, headers } = received
    const sent = request({
      host: '127.0.0.1',
      port,
      method,
      path: url,
      headers: endToEnd(headers),
      agent: false,
    })
    sent.on('response', (response) => {
      reply.writeHead(response.statusCode ?? 502, endToEnd(response.headers)).flushHeaders()
      response.pipe(reply)
      response.on('close', () => void (response.complete || reply.destroy()))
      response.on('error', () => reply.destroy())
    })
    sent.on('error', () => reply.destroy())
    reply.on('close', () => sent.destroy())
    received.on('error', () => sent.destroy())
    received.pipe(sent)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = portOf(server)
  return {
    port,
    url: `http://127.0.0.1:${port}/mcp`,
    async stop() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

const endToEnd = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)))
