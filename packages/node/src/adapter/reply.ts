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

/** A request, and the request and the response of Node that carry it. */
export interface NodeExchange {
  readonly httpRequest: HttpRequest
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/**
 * Watches a reply that is about to be sent on Node's response, until the client has read it
 * and has sent its whole request.
 *
 * A large body counts as queued until it has left the process. If the client does not read any of it for one to two
 * minutes, the connection is closed: otherwise a client that never reads could make a server keep any number of
 * replies. If so many replies are waiting that callers are refused, the client is given five to ten seconds.
 * If the reply is sent before the end of the request, as with 413, the rest of the request must arrive within
 * the time limit for a body.
 */
export function watchNodeReply(
  endpoint: ReplyLimits,
  { httpRequest, request, response }: NodeExchange,
  { open, body }: HttpReply,
): void {
  if (open !== undefined) return
  // A request that a host has created itself has no `complete`.
  const { complete = true } = request as Partial<IncomingMessage>
  if (!complete) {
    // An HTTP/2 request does not end its stream when it is destroyed.
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
 * Writes a stream reply to Node's response once its turn has come. A stream that cannot be sent is also opened, on a
 * sink that drops its chunks, so that the endpoint ends it.
 *
 * @param sendHead - sends the head at once, or leaves it to the first chunk; false
 *   if the stream cannot be sent
 * @param failed - called if the head cannot be sent, for example because middleware throws. @default destroys the
 *   response
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
      // The client may have disconnected, or a timeout of the app may have replied.
      if (connected && !response.headersSent && sendHead()) response.once('close', () => sink.drop())
      else sink.drop()
      isOpen = true
      open(sink)
      // Node delays the head until the first chunk, which may take long.
      if (!sink.used) response.flushHeaders()
    } catch (error) {
      sink.drop()
      if (!isOpen) open(sink)
      failed(error)
    }
  })
}

/**
 * Writes chunks to a response. After a disconnect it drops them: the request's signal informs the endpoint.
 */
class ResponseSink implements FrameSink {
  /** Whether the head has been sent with a chunk, or will never be. */
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
    // Compressing middleware adds this method, and holds back chunks until it is called.
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
