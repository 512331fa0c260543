import type { FrameSink, HttpReply } from '../types.ts'
import type { WebConnection, WebRequest } from './web-request.ts'

/** The number of bytes that a stream queues before writers must wait. */
const AHEAD_BYTES = 16_384

type StallLimit = ReturnType<WebConnection['stallLimit']>
type StreamReply = Extract<HttpReply, { readonly open: unknown }>

/** Converts a stream reply to a web `ReadableStream`, for adapters whose hosts send such streams. */
export function toReadableStream(reply: StreamReply, request: WebRequest): ReadableStream<Uint8Array> {
  let sink: ReadableSink | undefined
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        const opened = new ReadableSink(controller, request.connection?.stallLimit())
        sink = opened
        request.onTurn(() => reply.open(opened))
      },
      pull: () => sink?.release(),
      cancel: () => {
        sink?.drop()
        request.leave()
      },
    },
    { highWaterMark: AHEAD_BYTES, size: (chunk) => chunk.byteLength },
  )
}

/**
 * Returns a stream's headers with a unique `ETag`, so that middleware such as Hono's `etag()` does not
 * compute one. It would first read the whole body, so no event would arrive before the stream ends.
 */
export const streamHeaders = (headers: HttpReply['headers']): Record<string, string> => ({
  ...headers,
  etag: `W/"${crypto.randomUUID()}"`,
})

const encoder = new TextEncoder()

class ReadableSink implements FrameSink {
  readonly #stall: StallLimit
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #drained: Promise<void> | undefined
  #resume: (() => void) | undefined

  constructor(controller: ReadableStreamDefaultController<Uint8Array>, stall: StallLimit) {
    this.#controller = controller
    this.#stall = stall
  }

  write(chunk: string): void | Promise<void> {
    const controller = this.#controller
    if (controller === undefined) return undefined
    controller.enqueue(encoder.encode(chunk))
    if ((controller.desiredSize ?? 1) > 0) return undefined
    if (this.#drained === undefined) this.#stall?.begin()
    return (this.#drained ??= new Promise((resolve) => {
      this.#resume = resolve
    }))
  }

  close(): void {
    this.#controller?.close()
    this.drop()
  }

  /** Called when the reader has caught up, so that writers may continue. */
  release(): void {
    if (this.#drained === undefined) return
    this.#stall?.end()
    this.#continue()
  }

  /** Called when the reader has cancelled the stream. */
  drop(): void {
    this.#controller = undefined
    this.#continue()
  }

  #continue(): void {
    this.#resume?.()
    this.#resume = this.#drained = undefined
  }
}
