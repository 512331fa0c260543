import type { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

// The properties of `IncomingMessage` and `ServerResponse` that this folder uses also exist in HTTP/2's
// compatibility API.

/**
 * Returns whether the response must wait for earlier responses on its connection, because the client
 * pipelines requests.
 */
export const isQueued = ({ socket, writableEnded }: ServerResponse): boolean =>
  socket === null && !writableEnded

/**
 * Calls the listener exactly once: with true when it is the response's turn, or with false if the connection
 * ends first. Calls it immediately if the response is not queued. Node does not emit `close` on queued
 * responses, and keeps everything written to them in memory, without a limit.
 */
export function onTurn(
  request: IncomingMessage,
  response: ServerResponse,
  listener: (connected: boolean) => void,
): void {
  const { socket } = request
  limitPause(request, response)
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
  if (!isQueued(response)) return limitPause(request, response)
  onTurn(request, response, (connected) => {
    if (!connected) listener()
  })
}

/**
 * Returns a signal that aborts when the client disconnects before the reply is complete, or that is already
 * aborted if the client has disconnected.
 */
export function nodeSignal(request: IncomingMessage, response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  if (response.destroyed || response.socket === undefined) abortUnfinished(controller, response)
  else onNodeClose(request, response, abortUnfinished.bind(undefined, controller, response))
  return controller.signal
}

function abortUnfinished(controller: AbortController, response: ServerResponse): void {
  if (!response.writableEnded || !response.writableFinished) controller.abort()
}

/** How long Node may pause reading from a connection, in ms. */
const PAUSE_MS = 4_000

/**
 * The queued and open responses of mounts, keyed by connection. On all other connections, pauses are the
 * app's own doing.
 */
const unfinished = new WeakMap<Socket, Set<ServerResponse>>()

/**
 * Closes a connection from which Node has not read for a while. Node stops reading when a client pipelines
 * requests without reading the replies, and it does not detect the end of a connection while it is not
 * reading.
 */
function limitPause({ socket, httpVersionMajor }: IncomingMessage, response: ServerResponse): void {
  // HTTP/2 has no pipelining, and its requests have a stand-in for the socket, as do tests without a network.
  if (httpVersionMajor !== 1 || !(socket instanceof Socket) || response.closed) return
  const responses = unfinished.get(socket) ?? new Set()
  if (responses.has(response)) return
  responses.add(response)
  response.once('close', () => {
    responses.delete(response)
    if (responses.size > 0) return
    unfinished.delete(socket)
    socket.off('pause', paused)
  })
  if (responses.size > 1) return
  unfinished.set(socket, responses)
  socket.on('pause', paused)
  if (socket.isPaused()) paused.call(socket)
}

/**
 * Node also stops reading while an app is reading a body slowly. Only a pause caused by pipelining sets
 * `_paused`.
 */
const isPipelining = (socket: Socket & { readonly _paused?: boolean }): boolean =>
  socket._paused === true && unfinished.has(socket)

function paused(this: Socket): void {
  const timer = setTimeout(() => void (isPipelining(this) && this.destroy()), PAUSE_MS).unref()
  const end = (): void => {
    clearTimeout(timer)
    this.off('resume', end).off('close', end)
  }
  this.on('resume', end).on('close', end)
}

interface Waiting {
  readonly listeners: Set<() => void>
  readonly notify: () => void
}

/**
 * The close listeners, keyed by connection. A client may pipeline any number of requests, so the socket has a
 * single listener that calls them all.
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
