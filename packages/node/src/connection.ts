import type { IncomingMessage, ServerResponse } from 'node:http'

/** Whether nothing can reach the client any more. A response of HTTP/2 loses its socket. */
export function isGone(request: IncomingMessage, response: ServerResponse): boolean {
  return (
    response.destroyed ||
    (response.socket as unknown) === undefined ||
    (isQueued(response) && request.socket.destroyed)
  )
}

/** Whether the response waits for those before it on its connection, since the client has pipelined its requests. */
export const isQueued = ({ socket, headersSent }: ServerResponse): boolean => socket === null && !headersSent

/**
 * Calls the listener when the response closes, or its connection while the response is queued: Node emits no `close` on
 * queued responses.
 */
export function onClose({ socket }: IncomingMessage, response: ServerResponse, listener: () => void): void {
  response.once('close', listener)
  if (!isQueued(response)) return
  // A client may pipeline any number of requests.
  socket.setMaxListeners(0)
  socket.once('close', listener)
  response.once('socket', () => socket.off('close', listener))
}
