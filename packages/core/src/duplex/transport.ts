import { usageError } from '../errors.ts'
import { type Deferred, deferred } from '../util/promises.ts'

/** The reason why a transport ended. */
export type TransportClose = { readonly kind: 'end' } | { readonly kind: 'error'; readonly error: unknown }

/** The functions that a transport calls. They are passed to {@link Transport.start}, which is called once. */
export interface TransportHandlers {
  /**
   * Receives one message as JSON text, without a newline. If it returns a promise, the transport stops reading
   * until the promise settles.
   */
  message(text: string): void | Promise<void>
  /** Reports input that exceeds the line limit or is not UTF-8. */
  malformed(reason: string): void
  /** Called once, when the transport ends for any reason. */
  close(reason: TransportClose): void
}

/** Options for {@link Transport.send}. */
export interface SendOptions {
  /** If this signal aborts before the message is written, the message is dropped. */
  readonly signal?: AbortSignal
  /** Extra headers, for transports that have headers. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A bidirectional connection at the level of raw JSON messages. */
export interface Transport {
  /** Starts delivery. Throws when called twice. */
  start(handlers: TransportHandlers): void | Promise<void>
  /**
   * Frames and writes one message. Returns a promise only while the peer is reading slowly. If it throws or
   * rejects, the message is lost and the connection ends.
   */
  send(message: string, options?: SendOptions): void | Promise<void>
  /** Whether messages are sent as bytes, so that the peer may read several at once. @default false */
  readonly byteStream?: boolean
  /** The number of UTF-16 code units queued for a slow reader, reported by `stats()`. */
  readonly queued?: number
  /** Writes the queued messages, then ends. Can be called repeatedly. */
  close(): Promise<void>
}

/** Fields that only the official SDK's transports have, and the functions to call instead. */
const OFFICIAL: readonly (readonly [member: string, instead: string])[] = [
  ['_stdin', 'serveStdio(server) of @jetway/stdio'],
  ['handleRequest', 'mcp({ server }) of @jetway/fastify, @jetway/hono or @jetway/node, or toFetch(server)'],
  ['handlePostMessage', 'mcp({ server, legacySse: true }) of @jetway/fastify, @jetway/hono or @jetway/node'],
  ['_otherTransport', 'createMemoryTransportPair() of @jetway/core/transport'],
  ['onmessage', 'a transport that implements Transport of @jetway/core/transport'],
]

/**
 * @throws `ERR_MCP_OPTION` if there is no transport, or for a transport from the official SDK, which would
 * start but not deliver messages
 */
export function checkTransport(transport: Transport): void {
  const given = transport as Partial<Transport> | undefined | null
  // The official SDK's `start()` takes no arguments.
  const official = given?.start?.length === 0 ? OFFICIAL.find(([member]) => member in given) : undefined
  if (official !== undefined)
    throw usageError(
      'ERR_MCP_OPTION',
      `server.connect got a transport of the official SDK, which Jetway cannot use. Use ${official[1]}`,
    )
  if (typeof given?.start === 'function' && typeof given.send === 'function') return
  throw usageError(
    'ERR_MCP_OPTION',
    'server.connect needs a transport with start, send and close. To serve stdio, call serveStdio(server) of @jetway/stdio',
  )
}

/** The maximum number of UTF-16 code units queued for the other side before `send` returns a promise. */
const HIGH_WATER_MARK = 1024 * 1024

/**
 * Creates the two ends of a connection inside one process. Messages arrive in order, and never before `send`
 * returns. If one end closes, the other still receives all messages, and then closes as well.
 */
export function createMemoryTransportPair(): [Transport, Transport] {
  const left = new MemoryTransport()
  const right = new MemoryTransport()
  left.peer = right
  right.peer = left
  return [left, right]
}

interface Waiting {
  readonly text: string
  readonly signal: AbortSignal | undefined
}

class MemoryTransport implements Transport {
  peer!: MemoryTransport
  #handlers: TransportHandlers | undefined
  #inbox: Waiting[] = []
  /** The number of UTF-16 code units that have been received but not yet delivered. */
  #size = 0
  #delivering = false
  /** Whether the peer has closed its end. If so, this end closes when its inbox is empty. */
  #peerClosed = false
  #closed = false
  #capacity: Deferred | undefined

  get queued(): number {
    return this.peer.#size
  }

  start(handlers: TransportHandlers): void {
    if (this.#handlers !== undefined) throw new TypeError('The transport has been started already')
    this.#handlers = handlers
    this.#schedule()
  }

  send(message: string, options?: SendOptions): void | Promise<void> {
    if (options?.signal?.aborted === true) return
    return this.peer.#receive({ text: message, signal: options?.signal })
  }

  close(): Promise<void> {
    if (!this.#closed) {
      this.peer.#endAfterInbox()
      this.#end({ kind: 'end' })
    }
    return Promise.resolve()
  }

  #receive(item: Waiting): void | Promise<void> {
    if (this.#closed || this.#peerClosed) return
    this.#inbox.push(item)
    this.#size += item.text.length
    this.#schedule()
    if (this.#size <= HIGH_WATER_MARK) return
    this.#capacity ??= deferred()
    return this.#capacity.promise
  }

  #endAfterInbox(): void {
    this.#peerClosed = true
    this.#schedule()
  }

  #schedule(): void {
    if (this.#handlers === undefined || this.#delivering || this.#closed) return
    this.#delivering = true
    queueMicrotask(() => void this.#deliver(this.#handlers as TransportHandlers))
  }

  async #deliver(handlers: TransportHandlers): Promise<void> {
    while (this.#inbox.length > 0) {
      const items = this.#inbox
      this.#inbox = []
      for (const item of items) {
        if (this.#closed) return
        if (item.signal?.aborted !== true) {
          try {
            const handled = handlers.message(item.text)
            if (handled instanceof Promise) await handled
          } catch (error) {
            this.#fail(error)
            return
          }
        }
        this.#size -= item.text.length
        if (this.#size <= HIGH_WATER_MARK) this.#releaseCapacity()
      }
    }
    this.#delivering = false
    if (this.#peerClosed) this.#end({ kind: 'end' })
  }

  #fail(error: unknown): void {
    this.peer.#endAfterInbox()
    this.#end({ kind: 'error', error })
  }

  #end(reason: TransportClose): void {
    if (this.#closed) return
    this.#closed = true
    this.#inbox = []
    this.#size = 0
    this.#releaseCapacity()
    queueMicrotask(() => this.#handlers?.close(reason))
  }

  #releaseCapacity(): void {
    this.#capacity?.resolve()
    this.#capacity = undefined
  }
}
