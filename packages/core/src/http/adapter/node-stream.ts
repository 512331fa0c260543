import type { FrameSink, HttpReply } from '../types.ts'
import { type NodeIncoming, onTurn } from './node-turn.ts'
import { type NodeResponse, StallLimit } from './stall-limit.ts'

/** The members of Node's response that a stream is written to. */
export interface NodeWritable extends NodeResponse {
  readonly headersSent: boolean
  write(chunk: string): boolean
  end(): unknown
  flushHeaders(): void
}

/**
 * Writes a stream reply to Node's response, when its turn has come. A stream that cannot be sent is opened
 * too, on a sink that drops its chunks, so that the endpoint ends it.
 *
 * @param sendHead - sends the head at once, or leaves it to the first chunk; false
 *   if the stream cannot be sent
 */
export function sendNodeStream(
  request: NodeIncoming,
  response: NodeWritable,
  { open }: Extract<HttpReply, { readonly open: unknown }>,
  sendHead: () => boolean,
): void {
  const sink = new ResponseSink(response)
  onTurn(request, response, (connected) => {
    // The client may have disconnected, or a timeout of the app may have replied.
    if (connected && !response.headersSent && sendHead()) response.once('close', () => sink.drop())
    else sink.drop()
    open(sink)
    // Node delays the head until the first chunk, which may take long.
    if (!sink.used) response.flushHeaders()
  })
}

/**
 * Writes chunks to a response. After a disconnect it drops them: the request's signal informs the endpoint.
 */
class ResponseSink implements FrameSink {
  /** Whether the head has been sent with a chunk, or will never be. */
  used = false
  #response: (NodeWritable & { flush?: () => void }) | undefined
  #drained: Promise<void> | undefined
  #resume: (() => void) | undefined
  #stall: StallLimit | undefined

  constructor(response: NodeWritable) {
    this.#response = response
  }

  write(chunk: string): void | Promise<void> {
    const response = this.#response
    if (response === undefined) return
    this.used = true
    const keepsUp = response.write(chunk)
    // Compressing middleware adds this method, and holds chunks back without it.
    response.flush?.()
    if (!keepsUp) return (this.#drained ??= this.#drain(response))
  }

  close(): void {
    this.used = true
    this.#response?.end()
    this.#response = undefined
  }

  /** The client has disconnected. */
  drop(): void {
    this.used = true
    this.#response = undefined
    this.#resume?.()
  }

  #drain(response: NodeWritable): Promise<void> {
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
