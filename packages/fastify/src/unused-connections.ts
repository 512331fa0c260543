import { Server } from 'node:http'
import { Server as SecureServer } from 'node:https'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** How long a request that has begun to arrive may take to complete its headers, in ms. */
const HEAD_MS = 1000

/**
 * Watches for connections that have sent no request. Node's `server.close()` waits for them and no longer
 * applies `headersTimeout`, so one client that connects and stays silent would keep the app open. The
 * function that it returns ends them. It leaves HTTP/2 alone, where Fastify closes the sessions.
 */
export function watchUnused(server: unknown): () => void {
  const unused = new Set<Socket>()
  if (!(server instanceof Server) && !(server instanceof SecureServer)) return () => {}
  server.on(server instanceof SecureServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  server.on('request', ({ socket }: IncomingMessage) => unused.delete(socket))
  return () => {
    for (const socket of unused) if (socket.bytesRead === 0) socket.destroy()
    if (unused.size === 0) return
    const timer = setTimeout(() => {
      for (const socket of unused) socket.destroy()
    }, HEAD_MS)
    timer.unref()
  }
}
