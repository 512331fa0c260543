import { isErrorOf, UsageError } from '../errors.ts'
import { isolatedRequests } from '../util/platform.ts'
import { safeLogger } from '../util/logger.ts'
import { RareLog } from '../util/rare-log.ts'
import type { EndpointContext } from './mount.ts'
import { CLOSE_HEADERS, refuse } from './refusals.ts'
import { StoreFailure } from './streams/store-failure.ts'
import { type AcceptedRequest, BodyError, type HttpReply, type HttpRequest } from './types.ts'

/** The outcome of checking the head of a request. */
export type Accepted = HttpReply | AcceptedRequest

/** https://www.rfc-editor.org/rfc/rfc9110#section-15.5.16 */
const IDENTITY = { 'accept-encoding': 'identity' }

/** Runs the steps of requests: their errors become replies, and their refusals events. */
export class RequestSteps {
  readonly #context: EndpointContext
  readonly #isolated = isolatedRequests()
  readonly #lostBodies: RareLog

  constructor(context: EndpointContext) {
    this.#context = context
    this.#lostBodies = new RareLog(context.clock)
  }

  /** Runs one step. A close waits for a promise. */
  run<T extends Accepted>(
    request: HttpRequest,
    step: () => T | Promise<T>,
  ): T | HttpReply | Promise<T | HttpReply> {
    try {
      const result = step()
      return result instanceof Promise ? this.#tracked(request, result) : this.#reported(request, result)
    } catch (error) {
      return this.#reported(request, this.#failed(request, error))
    }
  }

  #tracked<T extends Accepted>(request: HttpRequest, result: Promise<T>): Promise<T | HttpReply> {
    const { work } = this.#context
    work.begin()
    const settled = result.then(
      (value) => {
        work.end()
        return this.#reported(request, value)
      },
      (error: unknown) => {
        work.end()
        return this.#reported(request, this.#failed(request, error))
      },
    )
    // Other requests may wait for work of this one, such as opening the lifespan, so it must not end when its client
    // disconnects.
    if (this.#isolated) request.waitUntil?.(settled)
    return settled
  }

  /** Emits an event for a refused request. */
  #reported<T extends Accepted>(request: HttpRequest, result: T): T {
    if ('status' in result && result.status >= 400) this.#context.rejections.addReply(request, result)
    return result
  }

  #failed(request: HttpRequest, error: unknown): HttpReply {
    if (isErrorOf(UsageError, error) && error.code === 'ERR_MCP_CLOSED') return refuse('draining')
    if (error instanceof BodyError) return this.#unread(error)
    this.#log(request, error)
    return refuse(error instanceof StoreFailure ? 'unavailable' : 'internal')
  }

  #log({ logger, id }: HttpRequest, err: unknown): void {
    const message = 'A request could not be served'
    if (logger !== undefined) safeLogger(logger).error({ err }, message)
    else this.#context.logger.error({ ...(id !== undefined && { reqId: id }), err }, message)
  }

  #unread({ status, lost, message }: BodyError): HttpReply {
    // The rest of the body may never come: its connection must not wait for it.
    if (status === 408) return refuse('bodyTimeout', { headers: CLOSE_HEADERS })
    if (status === 503) return refuse('tooManyBodies', { headers: CLOSE_HEADERS })
    if (status === 415) return refuse('encodedBody', { headers: IDENTITY })
    if (!lost) return refuse(status === 413 ? 'bodyTooLarge' : 'unreadableBody')
    this.#lostBodies.log((skipped) => this.#context.logger.error(skipped === 0 ? {} : { skipped }, message))
    return refuse('unreadableBody', { message })
  }
}
