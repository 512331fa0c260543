import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

// HTTP/2's compatibility API has the members of `IncomingMessage` and `ServerResponse` that this folder uses.

/**
 * Returns whether the response waits for earlier responses on its connection, because the client has pipelined its
 * requests.
 */
const isQueued = ({ socket, writableEnded }: ServerResponse): boolean => socket === null && !writableEnded

/**
 * Calls the listener exactly once: with true when the response gets its connection, or with false if the
 * connection ends first. Calls it immediately unless the response is queued. Node does not emit `close` on
 * queued responses, and keeps everything written to them in memory without a limit.
 */
export function onTurn(
  { socket }: IncomingMessage,
  response: ServerResponse,
  listener: (connected: boolean) => void,
): void {
  if (!isQueued(response)) {
    // An HTTP/2 stream that has ended has no socket.
    return listener(!response.destroyed && response.socket !== undefined)
  }
  if (socket.destroyed) return listener(false)
  const forget = onSocketClose(socket, () => listener(false))
  response.once('socket', () => {
    forget()
    listener(!socket.destroyed)
  })
}

/** Calls the listener when the response closes, or when its connection closes while the response is queued. */
export function onNodeClose(request: IncomingMessage, response: ServerResponse, listener: () => void): void {
  response.once('close', listener)
  if (!isQueued(response)) return
  onTurn(request, response, (connected) => {
    if (!connected) listener()
  })
}

/** Returns a signal that aborts when the client disconnects before the reply is complete, or at once if it already has. */
export function nodeSignal(request: IncomingMessage, response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  if (response.destroyed || response.socket === undefined) abortUnfinished(controller, response)
  else onNodeClose(request, response, abortUnfinished.bind(undefined, controller, response))
  return controller.signal
}

function abortUnfinished(controller: AbortController, response: ServerResponse): void {
  if (!response.writableEnded || !response.writableFinished) controller.abort()
}

interface Waiting {
  readonly listeners: Set<() => void>
  readonly notify: () => void
}

/**
 * The listeners by connection. A client may pipeline any number of requests, so the socket has one listener, which
 * calls these.
 */
const waiting = new WeakMap<Socket, Waiting>()

function onSocketClose(socket: Socket, listener: () => void): () => void {
  const { listeners, notify } = waiting.get(socket) ?? watch(socket)
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    socket.off('close', notify)
    waiting.delete(socket)
  }
}

function watch(socket: Socket): Waiting {
  const listeners = new Set<() => void>()
  const notify = (): void => {
    for (const each of listeners) each()
  }
  const added = { listeners, notify }
  waiting.set(socket, added)
  socket.once('close', notify)
  return added
}
