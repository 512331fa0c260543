import {
  ErrorCode,
  isRequestId,
  type JsonObject,
  type JsonRpcMessage,
  type JsonRpcRequest,
  McpError,
  type RequestId,
} from '@jetway/core/protocol'
import type { Origin } from '../transport/client-transport.ts'

/** Questions of a server that are being answered at once. Beyond it they are refused. */
const MAX_RUNNING = 64
/** Answers that the transport has not taken yet. Beyond it nothing more is read. */
const MAX_UNSENT = 256

export interface InboundOptions {
  answer(
    request: JsonRpcRequest,
    context: { readonly signal: AbortSignal; readonly origin: Origin | undefined },
  ): Promise<JsonObject> | undefined
  /** Never rejects. */
  send(message: JsonRpcMessage, origin: Origin | undefined): Promise<void>
  /** Stops the clocks of the calls that a question may belong to, until what it returns is called. */
  pause(origin: Origin | undefined): () => void
}

/** What the server asks of this side, each answered once, or not at all once it was cancelled. */
export class InboundRequests {
  readonly #options: InboundOptions
  readonly #running = new Map<RequestId, AbortController>()
  #unsent = 0
  #room: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined

  constructor(options: InboundOptions) {
    this.#options = options
  }

  /** A promise while the server does not read the answers that it has asked for. */
  handle(request: JsonRpcRequest, origin: Origin | undefined): void | Promise<void> {
    if (this.#running.has(request.id))
      this.#send(failure(request.id, ErrorCode.InvalidRequest, 'A request with this id is running'), origin)
    else if (this.#running.size >= MAX_RUNNING)
      this.#send(
        failure(request.id, ErrorCode.InternalError, 'The client is busy, try again shortly'),
        origin,
      )
    else this.#begin(request, origin)
    return this.#room?.promise
  }

  /** Whether there was such a request. */
  cancel(id: unknown): boolean {
    const running = isRequestId(id) ? this.#running.get(id) : undefined
    if (running === undefined) return false
    this.#running.delete(id as RequestId)
    running.abort(new Error('The server has cancelled its request'))
    return true
  }

  closeAll(): void {
    const running = [...this.#running.values()]
    this.#running.clear()
    for (const controller of running) controller.abort(new Error('The connection is closed'))
    this.#makeRoom()
  }

  #begin(request: JsonRpcRequest, origin: Origin | undefined): void {
    const controller = new AbortController()
    const answering = this.#options.answer(request, { signal: controller.signal, origin })
    if (answering === undefined) return
    this.#running.set(request.id, controller)
    const resume = this.#options.pause(origin)
    const finish = (message: JsonRpcMessage): void => {
      resume()
      if (this.#running.get(request.id) !== controller) return
      this.#running.delete(request.id)
      this.#send(message, origin)
    }
    answering.then(
      (result) => finish({ jsonrpc: '2.0', id: request.id, result }),
      (error: unknown) => finish(toFailure(request.id, error)),
    )
  }

  #send(message: JsonRpcMessage, origin: Origin | undefined): void {
    this.#unsent++
    if (this.#unsent >= MAX_UNSENT) this.#room ??= deferred()
    void this.#options.send(message, origin).then(() => {
      this.#unsent--
      if (this.#unsent < MAX_UNSENT) this.#makeRoom()
    })
  }

  #makeRoom(): void {
    this.#room?.resolve()
    this.#room = undefined
  }
}

/** What a handler throws is not for the server to read, unless it was made for that. */
function toFailure(id: RequestId, error: unknown): JsonRpcMessage {
  return error instanceof McpError
    ? failure(id, error.code, error.message, error.data)
    : failure(id, ErrorCode.InternalError, 'The client could not answer')
}

function failure(id: RequestId, code: number, message: string, data?: unknown): JsonRpcMessage {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } }
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
