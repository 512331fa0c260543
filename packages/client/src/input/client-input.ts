import {
  ClientMethod,
  ErrorCode,
  type FormSchema,
  type Implementation,
  isObject,
  type JsonObject,
  McpError,
  Method,
} from '@jetway/core/protocol'
import type { ResolvedOptions } from '../options/options.ts'
import { abortable, anySignal, withTimeout } from '../util/promises.ts'
import { readFormContent } from './form-content.ts'
import type {
  ClientHandlers,
  ElicitResult,
  ElicitUrlRequest,
  ElicitUrlResult,
  HandlerContext,
  Root,
  SampleRequest,
} from '../options/handlers.ts'
import { checkSampleRequest } from './sampling.ts'
import { UrlCompletions } from './url-completions.ts'
import { isWebUrl, UrlElicitation } from './url-elicitation.ts'

export interface ClientInputOptions {
  readonly options: ResolvedOptions
  readonly server: () => Implementation | undefined
  readonly onError: (error: Error) => void
}

/** Passes the server's requests for input to the host's handlers, in both eras. */
export class ClientInput {
  readonly completions: UrlCompletions = new UrlCompletions()
  readonly urls: UrlElicitation
  readonly options: ResolvedOptions
  readonly onError: (error: Error) => void
  readonly #server: () => Implementation | undefined
  readonly #handlers: ClientHandlers
  /** Aborts when the connection ends. */
  readonly #closed = new AbortController()

  constructor({ options, onError, server }: ClientInputOptions) {
    const { handlers } = options
    this.options = options
    this.onError = onError
    this.#server = server
    this.#handlers = handlers
    this.urls = new UrlElicitation({
      ask:
        handlers.elicitUrl === undefined
          ? undefined
          : (request, signal) =>
              this.#withTimeout<ElicitUrlResult>(signal, (ctx) => this.#elicitUrl(request, ctx), CANCELLED),
      completions: this.completions,
      options,
      closed: this.#closed.signal,
    })
  }

  /**
   * Returns whether the client recognizes the method: one that the protocol defines, or one that has a handler.
   */
  handles(method: string): boolean {
    return method === Method.Ping || STANDARD.has(method) || this.#customHandler(method) !== undefined
  }

  /**
   * Returns the result of a request for input. @throws McpError if there is no handler, and the handler's
   * errors
   */
  async answer(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    if (method === Method.Ping) return {}
    const custom = this.#customHandler(method)
    if (custom !== undefined) return this.#withTimeout(signal, async (ctx) => custom(params, ctx))
    switch (method) {
      case ClientMethod.Elicit:
        return this.#withTimeout<JsonObject>(signal, (ctx) => this.#elicit(params, ctx), CANCELLED)
      case ClientMethod.Sample:
        return this.#withTimeout(signal, (ctx) => this.#sample(params, ctx))
      case ClientMethod.ListRoots:
        return this.#withTimeout(signal, (ctx) => this.#roots(ctx))
      default:
        throw notFound()
    }
  }

  /** Handles an input request from a result, as {@link answer} does, until the connection ends. */
  readonly answerForCall = (method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> =>
    this.answer(method, params, anySignal(signal, this.#closed.signal))

  /** Rejects everything that is waiting for the user. */
  close(error: Error): void {
    this.#closed.abort(error)
  }

  #customHandler(method: string): NonNullable<ClientHandlers['requests']>[string] | undefined {
    const { requests = {} } = this.#handlers
    return !STANDARD.has(method) && Object.hasOwn(requests, method) ? requests[method] : undefined
  }

  async #elicit(params: JsonObject, ctx: HandlerContext): Promise<JsonObject> {
    const { elicit, elicitUrl } = this.#handlers
    if (elicit === undefined && elicitUrl === undefined) return CANCELLED
    const { mode = 'form', message, requestedSchema } = params
    if (typeof message !== 'string') throw invalidParams('an elicitation needs a message')
    if (mode === 'url' && elicitUrl !== undefined) {
      const { action } = await this.#elicitUrl(readUrlRequest(params), ctx)
      return { action }
    }
    if (mode !== 'form' || elicit === undefined)
      throw invalidParams(`this client does not support elicitation with mode ${JSON.stringify(mode)}`)
    if (!isObject(requestedSchema)) throw invalidParams('a form needs a requestedSchema')
    const form = requestedSchema as unknown as FormSchema
    const { action, content } = await elicit({ ...params, message, requestedSchema: form }, ctx)
    if (checkAction(action) !== 'accept') return { action }
    const filled = await readFormContent(form, content ?? {})
    if (filled.ok) return { action, content: filled.content }
    this.onError(new Error(`The handler elicit returned invalid content: ${filled.problem}`))
    return CANCELLED
  }

  async #elicitUrl(request: ElicitUrlRequest, ctx: HandlerContext): Promise<ElicitUrlResult> {
    if (request.elicitationId !== undefined) this.completions.add(request.elicitationId)
    const { action, done } = (await this.#handlers.elicitUrl?.(request, ctx)) ?? CANCELLED
    return { action: checkAction(action), ...(done === true && { done }) }
  }

  async #sample(params: JsonObject, ctx: HandlerContext): Promise<JsonObject> {
    const { sample } = this.#handlers
    if (sample === undefined) throw notFound()
    checkSampleRequest(params, this.options.capabilities.sampling?.tools !== undefined)
    return { ...(await sample(params as unknown as SampleRequest, ctx)) }
  }

  async #roots(ctx: HandlerContext): Promise<JsonObject> {
    const { roots } = this.#handlers
    if (roots === undefined) throw notFound()
    const all = typeof roots === 'function' ? await roots(ctx) : roots
    return { roots: all.map(checkRoot) }
  }

  /**
   * Runs a handler with a time limit, so that a handler that never returns blocks neither the server nor the
   * call.
   */
  async #withTimeout<T>(signal: AbortSignal, run: (ctx: HandlerContext) => Promise<T>, fallback?: T) {
    const { name, clock, handlerTimeoutMs: ms } = this.options
    const controller = new AbortController()
    const stop = (): void => controller.abort(signal.reason)
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    const timedOut = new McpError(ErrorCode.InternalError, 'The user did not answer in time')
    const late = (): Error => {
      controller.abort(new Error(`No answer within ${ms} ms`))
      return timedOut
    }
    try {
      const ctx = { name, server: this.#server(), signal: controller.signal }
      return await withTimeout(abortable(run(ctx), signal), { ms, clock, late })
    } catch (error) {
      if (error === timedOut && fallback !== undefined) return fallback
      throw error
    } finally {
      // After a handler has returned, its signal must no longer abort.
      signal.removeEventListener('abort', stop)
    }
  }
}

const STANDARD: ReadonlySet<string> = new Set(Object.values(ClientMethod))
const CANCELLED: ElicitUrlResult & JsonObject = { action: 'cancel' }

const notFound = () => new McpError(ErrorCode.MethodNotFound, 'This client does not handle that method')
const invalidParams = (problem: string): McpError => new McpError(ErrorCode.InvalidParams, problem)

function readUrlRequest(params: JsonObject): ElicitUrlRequest {
  const { url, elicitationId } = params
  if (!isWebUrl(url)) throw invalidParams('the url must be an http: or https: URL')
  if (elicitationId !== undefined && typeof elicitationId !== 'string')
    throw invalidParams('an elicitationId must be a string')
  return params as unknown as ElicitUrlRequest
}

function checkAction(action: unknown): ElicitResult['action'] {
  if (action === 'accept' || action === 'decline' || action === 'cancel') return action
  throw new TypeError("An elicitation handler must return the action 'accept', 'decline' or 'cancel'")
}

/** https://modelcontextprotocol.io/specification/2025-11-25/client/roots#data-types */
function checkRoot(root: Root): Root {
  if (URL.canParse(root.uri) && new URL(root.uri).protocol === 'file:') return root
  throw new TypeError('The uri of a root must be a file: URL')
}
