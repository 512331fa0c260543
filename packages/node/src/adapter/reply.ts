import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type FrameSink,
  type HttpReply,
  type HttpRequest,
  LARGE_REPLY,
  type ReplyLimits,
} from '@jetway/core/http'
import { StallLimit } from './stall-limit.ts'
import { onNodeClose, onTurn } from './turn.ts'

/** A request, with the Node request and response behind it. */
export interface NodeExchange {
  readonly httpRequest: HttpRequest
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/**
 * Watches a reply that is about to be sent with Node's response, until the client has read the reply and sent
 * its whole request.
 *
 * A large body counts as queued until it has left the process. If the client reads none of it for one to two
 * minutes, the connection is closed. Otherwise, a client that never reads could make a server keep any number
 * of replies. If callers are being refused because too many replies are waiting, the client has only five to
 * ten seconds. If the reply is sent before the end of the request, as with 413, the rest of the request must
 * arrive within the time limit for a body.
 */
export function watchNodeReply(
  endpoint: ReplyLimits,
  { httpRequest, request, response }: NodeExchange,
  { open, body }: HttpReply,
): void {
  if (open !== undefined) return
  // A request that the host created itself lacks the `complete` property.
  const { complete = true } = request as Partial<IncomingMessage>
  if (!complete) {
    // Destroying an HTTP/2 request does not end its stream.
    const { stream = request } = request as { readonly stream?: { destroy(): unknown } }
    request.once(
      'close',
      endpoint.limitRest(() => stream.destroy()),
    )
  }
  if (body === undefined || body.length < LARGE_REPLY) return
  const stall = new StallLimit(response)
  stall.begin()
  onNodeClose(
    request,
    response,
    endpoint.hold(httpRequest, body.length, (atOnce) => stall.shorten(atOnce)),
  )
}

/**
 * Writes a stream reply to Node's response once it is its turn. A stream that cannot be sent is opened as
 * well, on a sink that drops its chunks, so that the endpoint ends it.
 *
 * @param sendHead - sends the head immediately, or leaves it to the first chunk; returns false if the stream
 * cannot be sent
 * @param failed - called if the head cannot be sent, for example because middleware throws; by default,
 * destroys the response
 */
export function sendNodeStream(
  request: IncomingMessage,
  response: ServerResponse,
  sendHead: () => boolean,
  open: (sink: FrameSink) => void,
  failed: (error: unknown) => void = () => response.destroy(),
): void {
  const sink = new ResponseSink(response)
  onTurn(request, response, (connected) => {
    let isOpen = false
    try {
      // The client may have disconnected, or a timeout in the app may have already replied.
      if (connected && !response.headersSent && sendHead()) response.once('close', () => sink.drop())
      else sink.drop()
      isOpen = true
      open(sink)
      // Otherwise, Node would delay the head until the first chunk, which may take a long time.
      if (!sink.used) response.flushHeaders()
    } catch (error) {
      sink.drop()
      if (!isOpen) open(sink)
      failed(error)
    }
  })
}

/**
 * Writes chunks to a response. After a disconnect, chunks are dropped; the endpoint learns of it from the
 * request's signal.
 */
class ResponseSink implements FrameSink {
  /** If true, the head has been sent with a chunk, or can no longer be sent. */
  used = false
  #response: (ServerResponse & { flush?: () => void }) | undefined
  #drained: Promise<void> | undefined
  #resume: (() => void) | undefined
  #stall: StallLimit | undefined

  constructor(response: ServerResponse) {
    this.#response = response
  }

  write(chunk: string): void | Promise<void> {
    const response = this.#response
    if (response === undefined) return
    this.used = true
    const keepsUp = response.write(chunk)
    // Compression middleware adds this method, and buffers chunks until it is called.
    response.flush?.()
    if (!keepsUp) return (this.#drained ??= this.#drain(response))
  }

  close(): void {
    this.used = true
    this.#response?.end()
    this.#response = undefined
  }

  /** Handles a disconnect of the client. */
  drop(): void {
    this.used = true
    this.#response = undefined
    this.#resume?.()
  }

  #drain(response: ServerResponse): Promise<void> {
    const stall = (this.#stall ??= new StallLimit(response))
    stall.begin()
    return new Promise((resolve) => {
      this.#resume = () => {
        this.#drained = undefined
        resolve()
      }
      response.once('drain', () => {
        stall.end()
        this.#resume?.()
      })
    })
  }
}
