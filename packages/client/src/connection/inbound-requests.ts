import {
  ErrorCode,
  isRequestId,
  type JsonObject,
  type JsonRpcMessage,
  type JsonRpcRequest,
  McpError,
  type RequestId,
} from '@jetway/core/protocol'
import { type Deferred, deferred } from '../util/promises.ts'

/** The maximum number of requests handled at the same time. Further requests receive an error. */
const MAX_RUNNING = 64
/** The maximum number of unsent responses. If there are more, the client stops reading. */
const MAX_UNSENT = 256

export interface InboundOptions {
  /** Handles a request. Returns undefined if no response should be sent. */
  handle(request: JsonRpcRequest, context: { readonly signal: AbortSignal }): Promise<JsonObject> | undefined
  send(message: JsonRpcMessage, relatedTo: RequestId | undefined): Promise<void>
  /**
   * Stops the timers of the requests to which the server's request may belong. Returns a function that
   * restarts them.
   */
  pause(relatedTo: RequestId | undefined): () => void
}

/** Handles the server's requests. Each request receives one response, unless the server cancels it. */
export class InboundRequests {
  readonly #options: InboundOptions
  readonly #running = new Map<RequestId, AbortController>()
  #unsent = 0
  #drained: Deferred<void> | undefined

  constructor(options: InboundOptions) {
    this.#options = options
  }

  /** Handles a request. Returns a promise if the server is not reading the client's responses. */
  handle(request: JsonRpcRequest, relatedTo: RequestId | undefined): void | Promise<void> {
    const refusal = this.#refusal(request.id)
    if (refusal === undefined) this.#run(request, relatedTo)
    else this.#send(refusal, relatedTo)
    return this.#drained?.promise
  }

  /** Cancels a request. Returns false if it is not running. */
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
    this.#drain()
  }

  #refusal(id: RequestId): JsonRpcMessage | undefined {
    if (this.#running.has(id))
      return failure(id, ErrorCode.InvalidRequest, 'A request with this id is running')
    if (this.#running.size < MAX_RUNNING) return undefined
    return failure(id, ErrorCode.InternalError, 'The client is busy, try again shortly')
  }

  #run(request: JsonRpcRequest, relatedTo: RequestId | undefined): void {
    const controller = new AbortController()
    const handled = this.#options.handle(request, { signal: controller.signal })
    if (handled === undefined) return
    this.#running.set(request.id, controller)
    const resume = this.#options.pause(relatedTo)
    const finish = (message: JsonRpcMessage): void => {
      resume()
      if (this.#running.get(request.id) !== controller) return
      this.#running.delete(request.id)
      this.#send(message, relatedTo)
    }
    handled.then(
      (result) => finish({ jsonrpc: '2.0', id: request.id, result }),
      (error: unknown) => finish(toFailure(request.id, error)),
    )
  }

  #send(message: JsonRpcMessage, relatedTo: RequestId | undefined): void {
    this.#unsent++
    if (this.#unsent >= MAX_UNSENT) this.#drained ??= deferred()
    void this.#options.send(message, relatedTo).then(() => {
      this.#unsent--
      if (this.#unsent < MAX_UNSENT) this.#drain()
    })
  }

  #drain(): void {
    this.#drained?.resolve()
    this.#drained = undefined
  }
}

/** Converts an error. Only an `McpError` is sent to the server, because other errors may contain secrets. */
function toFailure(id: RequestId, error: unknown): JsonRpcMessage {
  return error instanceof McpError
    ? failure(id, error.code, error.message, error.data)
    : failure(id, ErrorCode.InternalError, 'The client could not answer')
}

function failure(id: RequestId, code: number, message: string, data?: unknown): JsonRpcMessage {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } }
}
