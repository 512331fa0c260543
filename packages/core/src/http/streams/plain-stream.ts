import type { SessionChannel } from '../../session/session.ts'
import type { EndpointContext } from '../mount.ts'
import { SseWriter, type SseWriterOptions, type StreamReader } from './sse-writer.ts'
import { formatEvent, SSE_HEADERS } from './sse-format.ts'
import type { ServedServer } from '../served-servers.ts'
import type { HttpReply } from '../types.ts'

/** One SSE stream. */
export interface EventStream extends SessionChannel {
  /** The reply that carries the stream, from its beginning. */
  connect(request: StreamReader): HttpReply
  /** Sends a response that is not the last one. */
  respond(frame: string): void
  /** Sends the response, or nothing, and ends the stream. */
  finish(frame: string | undefined): void
  /** Ends the connection and not the stream, where the stream can be resumed. */
  closeConnection(retryMs: number | undefined): void
  /** Ends the stream without a response and forgets it. */
  close(): void
}

/** A stream of one connection: it cannot be resumed, and a notice that finds no room is lost. */
export class PlainStream implements EventStream {
  readonly #outbound: SseWriter
  #ended = false

  constructor(mount: EndpointContext, tenant: ServedServer, sessionId?: string) {
    this.#outbound = createOutbound(mount, 'drop', {
      owner: tenant,
      onOverflow: tellOverflow(tenant, sessionId),
    })
  }

  connect(request: StreamReader): HttpReply {
    return streamReply(this.#outbound, request)
  }

  send(frame: string): void | Promise<void> {
    if (this.#ended) return undefined
    this.#outbound.write(formatEvent({ data: frame }))
    return this.#outbound.pressure()
  }

  ping(frame: string): boolean {
    if (this.#ended || this.#outbound.ending) return false
    this.#outbound.write(formatEvent({ data: frame }))
    return true
  }

  respond(frame: string): void {
    if (!this.#ended) this.#outbound.writeAlways(formatEvent({ data: frame }))
  }

  finish(frame: string | undefined): void {
    if (frame !== undefined) this.respond(frame)
    this.close()
  }

  closeConnection(): void {}

  close(): void {
    this.#ended = true
    this.#outbound.end()
  }
}

/** Hears of a frame that found no room. */
export type OnOverflow = (action: SseWriterOptions['overflow'], bytes: number) => void

/** Tells listeners. */
export const tellOverflow =
  ({ runtime }: ServedServer, sessionId: string | undefined): OnOverflow =>
  (action, bytes) =>
    runtime.events.emit('overflow', () => ({ queue: 'stream', action, bytes, sessionId }))

/** A connection that is kept alive with the others of its mount. */
export function createOutbound(
  { options, openStreams }: EndpointContext,
  overflow: SseWriterOptions['overflow'],
  { owner, onOverflow }: { readonly owner?: object; readonly onOverflow?: OnOverflow },
): SseWriter {
  return new SseWriter({
    limit: options.outboundLimit,
    overflow,
    ...(owner !== undefined && { owner }),
    onOverflow: (bytes) => onOverflow?.(overflow, bytes),
    onOpen: (opened) => openStreams.add(opened),
    onGone: (gone) => openStreams.remove(gone),
  })
}

export const streamReply = (outbound: SseWriter, request: StreamReader): HttpReply => ({
  status: 200,
  headers: SSE_HEADERS,
  open: (sink) => outbound.open(sink, request),
})
