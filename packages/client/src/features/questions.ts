import {
  ClientMethod,
  ErrorCode,
  type FormSchema,
  type Implementation,
  isObject,
  type JsonObject,
  McpError,
  Method,
  type Revision,
  type Role,
  type SamplingContent,
} from '@jetway/core/protocol'
import type { Clock } from '@jetway/core/stores'
import { orAborted } from '../waiting.ts'
import { readFilledForm } from './filled-form.ts'
import type { OpenedUrls } from './opened-urls.ts'
import { checkSampleRequest } from './sample-request.ts'

type Awaitable<T> = T | Promise<T>

/** A form that a person is to fill in. */
export interface ElicitRequest {
  /** Markdown, by whoever wrote the server: show whose question it is. */
  readonly message: string
  /** A flat object of texts, numbers, booleans and choices. */
  readonly requestedSchema: FormSchema
  readonly _meta?: JsonObject
}

/** An address that a person is to open. Show it whole, and open it in a browser of its own after they agreed. */
export interface ElicitUrlRequest {
  readonly message: string
  /** `https:` or `http:`; nothing else reaches a handler. */
  readonly url: string
  /** Named again by the event `elicitationComplete`, where the revision has it. */
  readonly elicitationId?: string
  readonly _meta?: JsonObject
}

/** What a person did. `content` counts with `accept` only. */
export interface ElicitAnswer {
  readonly action: 'accept' | 'decline' | 'cancel'
  /** Texts are brought to the type of their field, and what is left out gets the field's default. */
  readonly content?: Readonly<Record<string, unknown>>
}

/** What a person did about an address. `accept` says that they agreed to open it, not that they are done there. */
export interface ElicitUrlAnswer {
  readonly action: ElicitAnswer['action']
  /**
   * They have said that they are done. A call that waits for the address goes on at once, where it would otherwise wait
   * for the server to say so, which not every server does.
   */
  readonly done?: boolean
}

/** https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#creating-messages */
export interface SampleRequest {
  readonly messages: readonly {
    readonly role: Role
    readonly content: SamplingContent | readonly SamplingContent[]
  }[]
  readonly maxTokens: number
  readonly systemPrompt?: string
  readonly temperature?: number
  readonly stopSequences?: readonly string[]
  readonly modelPreferences?: JsonObject
  readonly includeContext?: string
  readonly metadata?: JsonObject
  readonly tools?: readonly JsonObject[]
  readonly toolChoice?: JsonObject
  readonly _meta?: JsonObject
}

/** What the host's model said. */
export interface SampleAnswer {
  readonly role: Role
  readonly content: SamplingContent | readonly SamplingContent[]
  readonly model: string
  readonly stopReason?: string
}

/** A folder or file that a server may work in. */
export interface Root {
  /** A `file:` address. */
  readonly uri: string
  readonly name?: string
}

/** What a handler is given beside the question. */
export interface QuestionContext {
  /** The client's own `name` for the server, where it has one. */
  readonly name: string | undefined
  /** What the server says it is: for display. */
  readonly server: Implementation | undefined
  /** Aborts when the server, or the caller, needs no answer any more, and when the time for it is over. */
  readonly signal: AbortSignal
}

/** What answers the server's questions. What has no handler is not declared; a form that comes all the same is cancelled. */
export interface ClientHandlers {
  /** Has a person fill in a form. */
  readonly elicit?: (request: ElicitRequest, ctx: QuestionContext) => Awaitable<ElicitAnswer>
  /** Asks a person to open an address. */
  readonly elicitUrl?: (request: ElicitUrlRequest, ctx: QuestionContext) => Awaitable<ElicitUrlAnswer>
  /** Runs the host's model. Have a person review it; throw an `McpError` with code -1 where they refuse. */
  readonly sample?: (request: SampleRequest, ctx: QuestionContext) => Awaitable<SampleAnswer>
  /** Where the server may work. See `Client.rootsChanged`. */
  readonly roots?: readonly Root[] | ((ctx: QuestionContext) => Awaitable<readonly Root[]>)
  /**
   * Answers requests that the protocol does not have, by method, where the revision lets servers send any. Resolves to the
   * result; an `McpError` is sent as it is. What the protocol has cannot be answered here.
   */
  readonly requests?: Readonly<
    Record<string, (params: JsonObject, ctx: QuestionContext) => Awaitable<JsonObject>>
  >
}

export interface QuestionsOptions {
  readonly handlers: ClientHandlers
  readonly name: string | undefined
  readonly answerTimeoutMs: number
  readonly clock: Clock
  readonly server: () => Implementation | undefined
  readonly opened: OpenedUrls
  /** Whether that is declared. */
  readonly samplesWithTools: boolean
  readonly onError: (error: Error) => void
}

/** Answers questions, however they came. */
export class Questions {
  readonly #options: QuestionsOptions

  constructor(options: QuestionsOptions) {
    this.#options = options
  }

  /**
   * The result for a question.
   *
   * @throws McpError where there is no answer; whatever a handler throws
   */
  async answer(
    method: string,
    params: JsonObject,
    how: { readonly signal: AbortSignal; readonly revision: Revision | undefined },
  ): Promise<JsonObject> {
    if (method === Method.Ping) return {}
    const own = this.#own(method)
    if (own !== undefined) return this.#inTime(how.signal, async (ctx) => own(params, ctx))
    if (how.revision?.serverRequests.has(method) === false) throw notFound()
    switch (method) {
      case ClientMethod.Elicit:
        return this.#inTime(how.signal, (ctx) => this.#elicit(params, ctx), CANCELLED)
      case ClientMethod.Sample:
        return this.#inTime(how.signal, (ctx) => this.#sample(params, ctx))
      case ClientMethod.ListRoots:
        return this.#inTime(how.signal, (ctx) => this.#roots(ctx))
      default:
        throw notFound()
    }
  }

  #own(method: string): NonNullable<ClientHandlers['requests']>[string] | undefined {
    const { requests = {} } = this.#options.handlers
    return !KNOWN.has(method) && Object.hasOwn(requests, method) ? requests[method] : undefined
  }

  async #elicit(params: JsonObject, ctx: QuestionContext): Promise<JsonObject> {
    const { handlers } = this.#options
    if (handlers.elicit === undefined && handlers.elicitUrl === undefined) return CANCELLED
    const { mode = 'form', message } = params
    if (typeof message !== 'string') throw malformed('a question needs a message')
    if (mode === 'url' && handlers.elicitUrl !== undefined) {
      const { action } = await this.#elicitUrl(readUrlRequest(params), ctx)
      return { action }
    }
    if (mode !== 'form' || handlers.elicit === undefined)
      throw malformed(`this client does not answer questions of the mode ${JSON.stringify(mode)}`)
    const requestedSchema = params['requestedSchema']
    if (!isObject(requestedSchema)) throw malformed('a form needs a requestedSchema')
    const form = requestedSchema as unknown as FormSchema
    const { action, content } = await handlers.elicit({ ...params, message, requestedSchema: form }, ctx)
    if (actionOf(action) !== 'accept') return { action }
    const filled = readFilledForm(form, content ?? {})
    if (filled.ok) return { action, content: filled.content }
    this.#options.onError(new Error(`The handler's answer to a form was not valid: ${filled.problem}`))
    return CANCELLED
  }

  /** Has a person open an address, which a server wants before it answers. */
  openUrl(request: ElicitUrlRequest, signal: AbortSignal): Promise<ElicitUrlAnswer> {
    return this.#inTime<ElicitUrlAnswer>(signal, (ctx) => this.#elicitUrl(request, ctx), { action: 'cancel' })
  }

  async #elicitUrl(request: ElicitUrlRequest, ctx: QuestionContext): Promise<ElicitUrlAnswer> {
    const { handlers, opened } = this.#options
    if (request.elicitationId !== undefined) opened.note(request.elicitationId)
    const { action, done } = (await handlers.elicitUrl?.(request, ctx)) ?? { action: 'cancel' }
    return { action: actionOf(action), ...(done === true && { done }) }
  }

  async #sample(params: JsonObject, ctx: QuestionContext): Promise<JsonObject> {
    const { sample } = this.#options.handlers
    if (sample === undefined) throw notFound()
    checkSampleRequest(params, this.#options.samplesWithTools)
    return { ...(await sample(params as unknown as SampleRequest, ctx)) }
  }

  async #roots(ctx: QuestionContext): Promise<JsonObject> {
    const { roots } = this.#options.handlers
    if (roots === undefined) throw notFound()
    const all = typeof roots === 'function' ? await roots(ctx) : roots
    return { roots: all.map(checkRoot) }
  }

  /** A handler that does not come back does not keep the server, or the call, waiting for good. */
  async #inTime<T = JsonObject>(
    signal: AbortSignal,
    run: (ctx: QuestionContext) => Promise<T>,
    late?: T,
  ): Promise<T> {
    const { clock, answerTimeoutMs, name, server } = this.#options
    const controller = new AbortController()
    const stop = (): void => controller.abort(signal.reason)
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    let timer: unknown
    const over = new Promise<T>((resolve, reject) => {
      timer = clock.setTimeout(() => {
        controller.abort(new Error(`No answer within ${answerTimeoutMs} ms`))
        if (late === undefined) reject(new McpError(ErrorCode.InternalError, 'Nobody has answered in time'))
        else resolve(late)
      }, answerTimeoutMs)
    })
    try {
      // One that does not listen to the signal keeps nobody waiting either.
      const answered = run({ name, server: server(), signal: controller.signal })
      return await Promise.race([orAborted(answered, signal), over])
    } finally {
      clock.clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    }
  }
}

/** What servers may ask by the protocol. */
const KNOWN: ReadonlySet<string> = new Set(Object.values(ClientMethod))
const CANCELLED: JsonObject = { action: 'cancel' }

const notFound = (): McpError => new McpError(ErrorCode.MethodNotFound, 'This client does not answer that')
const malformed = (problem: string): McpError => new McpError(ErrorCode.InvalidParams, problem)

/** A browser would run what other schemes say. */
/** Of white space and of what is not printed, browsers drop a part: where it leads is not what a person would read. */
export function isWebAddress(url: unknown): url is string {
  if (typeof url !== 'string' || /[\p{C}\s]/u.test(url) || !URL.canParse(url)) return false
  const { protocol } = new URL(url)
  return protocol === 'https:' || protocol === 'http:'
}

function readUrlRequest(params: JsonObject): ElicitUrlRequest {
  const { url, elicitationId } = params
  if (!isWebAddress(url)) throw malformed('the url must be an https: address')
  if (elicitationId !== undefined && typeof elicitationId !== 'string')
    throw malformed('an elicitationId must be a text')
  return params as unknown as ElicitUrlRequest
}

function actionOf(action: unknown): ElicitAnswer['action'] {
  if (action === 'accept' || action === 'decline' || action === 'cancel') return action
  throw new TypeError('A handler of questions answers with the action accept, decline or cancel')
}

/** https://modelcontextprotocol.io/specification/2025-11-25/client/roots#data-types */
function checkRoot(root: Root): Root {
  if (URL.canParse(root.uri) && new URL(root.uri).protocol === 'file:') return root
  throw new TypeError('The uri of a root must be a file: address')
}
