/** The members of Node's request about its connection. HTTP/2's compatibility API has them too. */
export interface NodeIncoming {
  readonly socket: NodeConnection
}

/** The members of Node's response about its connection. */
export interface NodeOutgoing {
  readonly destroyed: boolean
  readonly writableEnded: boolean
  readonly writableFinished: boolean
  /**
   * Null while the response waits for those before it on its connection; undefined when
   * a stream of HTTP/2 has ended.
   */
  readonly socket: object | null | undefined
  once(event: 'close' | 'drain' | 'socket', listener: () => void): unknown
}

interface NodeConnection {
  readonly destroyed: boolean
  once(event: 'close', listener: () => void): unknown
  off(event: 'close', listener: () => void): unknown
}

/**
 * Whether the response waits for those before it on its connection, since the
 * client has pipelined its requests.
 */
const isQueued = ({ socket, writableEnded }: NodeOutgoing): boolean => socket === null && !writableEnded

/**
 * Calls the listener once: with true when the response has its connection, with false if that has ended
 * before. At once unless the response is queued. Node emits no `close` on queued responses, and keeps what is
 * written to them in memory without a limit.
 */
export function onTurn(
  { socket }: NodeIncoming,
  response: NodeOutgoing,
  listener: (connected: boolean) => void,
): void {
  if (!isQueued(response)) return listener(!response.destroyed && response.socket !== undefined)
  if (socket.destroyed) return listener(false)
  const forget = onSocketClose(socket, () => listener(false))
  response.once('socket', () => {
    forget()
    listener(!socket.destroyed)
  })
}

/** Calls the listener when the response closes, or its connection while the response is queued. */
export function onNodeClose(request: NodeIncoming, response: NodeOutgoing, listener: () => void): void {
  response.once('close', listener)
  if (!isQueued(response)) return
  onTurn(request, response, (connected) => {
    if (!connected) listener()
  })
}

/** Aborts when the client disconnects before the reply is complete; at once if it already has. */
export function nodeSignal(request: NodeIncoming, response: NodeOutgoing): AbortSignal {
  const controller = new AbortController()
  const closed = (): void => {
    if (!response.writableEnded || !response.writableFinished) controller.abort()
  }
  if (response.destroyed || response.socket === undefined) closed()
  else onNodeClose(request, response, closed)
  return controller.signal
}

interface Waiting {
  readonly listeners: Set<() => void>
  readonly notify: () => void
}

/**
 * By connection. A client may pipeline any number of requests, so the socket has one
 * listener, which calls these.
 */
const waiting = new WeakMap<NodeConnection, Waiting>()

function onSocketClose(socket: NodeConnection, listener: () => void): () => void {
  const { listeners, notify } = waiting.get(socket) ?? watch(socket)
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    socket.off('close', notify)
    waiting.delete(socket)
  }
}

function watch(socket: NodeConnection): Waiting {
  const listeners = new Set<() => void>()
  const notify = (): void => {
    for (const each of listeners) each()
  }
  const added = { listeners, notify }
  waiting.set(socket, added)
  socket.once('close', notify)
  return added
}
