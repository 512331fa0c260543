import { ErrorCode, isObject, type JsonObject, McpError, type Revision } from '@jetway/core/protocol'
import type { ResolvedOptions } from '../options/options.ts'
import { ClientError, ConnectionClosedError } from '../errors.ts'
import { abortable, anySignal, deferred, withTimeout } from '../util/promises.ts'
import type { ElicitResult, ElicitUrlRequest, ElicitUrlResult } from '../options/handlers.ts'
import { inputUnavailable } from './rounds.ts'
import type { UrlCompletions } from './url-completions.ts'

/** The maximum number of URLs in one error, and of URLs that are open at the same time. */
const MAX_URLS = 64

interface RequiredUrl extends ElicitUrlRequest {
  readonly elicitationId: string
}

/**
 * The server refused a request (`-32042`) because the user must first open URLs, and the user has not opened
 * them. Once the user has done so, the request can be sent again.
 *
 * @see
 * https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-elicitation-required-error
 */
export class UrlElicitationRequiredError extends McpError {
  readonly elicitations: readonly ElicitUrlRequest[]
  /**
   * The user's answer. If it is `accept`, the user agreed but did not finish in time. Undefined if the client
   * has no `elicitUrl` handler.
   */
  readonly action: ElicitResult['action'] | undefined

  constructor(elicitations: readonly ElicitUrlRequest[], data: unknown, action?: ElicitResult['action']) {
    const urls = elicitations.map(({ url }) => url).join(', ')
    super(ErrorCode.UrlElicitationRequired, `The user has to open a URL first: ${urls}`, data)
    this.name = 'UrlElicitationRequiredError'
    this.elicitations = elicitations
    this.action = action
  }
}

type Ask = (request: ElicitUrlRequest, signal: AbortSignal) => Promise<ElicitUrlResult>

export interface UrlElicitationOptions {
  /** Asks the user. Resolves to undefined if the host has no handler. */
  readonly ask: Ask | undefined
  readonly completions: UrlCompletions
  readonly options: ResolvedOptions
  /** Aborts when the connection ends. */
  readonly closed: AbortSignal
}

type Outcome = 'done' | 'decline' | 'cancel' | 'late'

/** One URL that the user is being asked to open, and the number of calls that are waiting for it. */
interface OpenUrl {
  readonly outcome: Promise<Outcome>
  readonly controller: AbortController
  waiting: number
}

/** Handles `-32042`: asks the user to open the URLs, then sends the request again. */
export class UrlElicitation {
  readonly #options: UrlElicitationOptions
  readonly #open = new Map<string, OpenUrl>()

  constructor(options: UrlElicitationOptions) {
    this.#options = options
  }

  /**
   * Sends a request until the server no longer responds with `-32042`. This code means that the server has not
   * processed the request.
   *
   * @throws UrlElicitationRequiredError, ClientError `too-many-rounds`, `input-unavailable`
   */
  async retry(
    send: () => Promise<JsonObject>,
    call: {
      readonly method: string
      readonly revision: Revision
      readonly signal: AbortSignal | undefined
    },
  ): Promise<JsonObject> {
    for (let round = 0; ; round++) {
      try {
        return await send()
      } catch (error) {
        const required = call.revision.elicitationIds ? readRequired(error) : undefined
        if (required === undefined) throw error
        if (round === this.#options.options.maxRounds)
          throw new ClientError(
            'too-many-rounds',
            `${call.method} was refused ${round + 1} times until a URL is opened`,
            { cause: error },
          )
        await this.#openAll(required, error as McpError, call.signal)
      }
    }
  }

  async #openAll(required: readonly RequiredUrl[], { data }: McpError, signal?: AbortSignal): Promise<void> {
    const { ask, closed } = this.#options
    if (ask === undefined) throw new UrlElicitationRequiredError(required, data)
    const over = new AbortController()
    const until = anySignal(over.signal, closed, signal)
    try {
      await Promise.all(
        required.map(async (request) => {
          const outcome = await this.#share(request, ask, until)
          if (outcome !== 'done')
            throw new UrlElicitationRequiredError(required, data, outcome === 'late' ? 'accept' : outcome)
        }),
      )
    } catch (cause) {
      if (signal?.aborted === true) throw signal.reason
      if (cause instanceof UrlElicitationRequiredError || cause instanceof ConnectionClosedError) throw cause
      throw inputUnavailable(cause)
    } finally {
      over.abort(new Error('Another URL was not opened'))
    }
  }

  /** Asks the user only once, even if several concurrent calls require the same URL. */
  async #share(request: RequiredUrl, ask: Ask, signal: AbortSignal): Promise<Outcome> {
    const key = JSON.stringify([request.elicitationId, request.url])
    const open = this.#open.get(key) ?? this.#begin(key, request, ask)
    open.waiting++
    try {
      return await abortable(open.outcome, signal)
    } finally {
      if (--open.waiting === 0) open.controller.abort(signal.reason)
    }
  }

  #begin(key: string, request: RequiredUrl, ask: Ask): OpenUrl {
    if (this.#open.size >= MAX_URLS)
      throw new ClientError('input-unavailable', `The user already has ${MAX_URLS} URLs to open`)
    const controller = new AbortController()
    const outcome = this.#outcome(request, ask, controller.signal).finally(() => {
      this.#open.delete(key)
      controller.abort(new Error('The elicitation is over'))
    })
    outcome.catch(() => {})
    const open: OpenUrl = { outcome, controller, waiting: 0 }
    this.#open.set(key, open)
    return open
  }

  /**
   * Waits until the user has finished. The server's notification counts even if it arrives before the user's
   * answer.
   */
  async #outcome(request: RequiredUrl, ask: Ask, signal: AbortSignal): Promise<Outcome> {
    const { completions, options } = this.#options
    const { clock, handlerTimeoutMs: ms } = options
    const completed = deferred<Outcome>()
    const stopListening = completions.add(request.elicitationId, () => completed.resolve('done'))
    const late = new Error('The user has not finished in time')
    try {
      const answered = ask(request, signal).then(({ action, done }) => {
        if (action !== 'accept') return action
        return done === true ? 'done' : undefined
      })
      const first = await Promise.race([completed.promise, answered])
      if (first !== undefined) return first
      return await withTimeout(abortable(completed.promise, signal), { ms, clock, late: () => late })
    } catch (error) {
      if (error === late) return 'late'
      throw error
    } finally {
      stopListening()
    }
  }
}

/** Returns the URLs of a well-formed `-32042` error. */
function readRequired(error: unknown): readonly RequiredUrl[] | undefined {
  if (!(error instanceof McpError) || error.code !== ErrorCode.UrlElicitationRequired) return undefined
  const elicitations: unknown = isObject(error.data) ? error.data['elicitations'] : undefined
  if (!Array.isArray(elicitations) || elicitations.length === 0 || elicitations.length > MAX_URLS)
    return undefined
  return elicitations.every(isRequired) ? elicitations : undefined
}

function isRequired(given: unknown): given is RequiredUrl {
  if (!isObject(given)) return false
  const { mode, message, url, elicitationId } = given
  return mode === 'url' && typeof message === 'string' && typeof elicitationId === 'string' && isWebUrl(url)
}

/**
 * Returns whether a value is a web URL. Other schemes may run code. White space is not allowed, because the
 * user would see it but browsers remove it.
 */
export function isWebUrl(url: unknown): url is string {
  if (typeof url !== 'string' || /[\p{C}\s]/u.test(url) || !URL.canParse(url)) return false
  const { protocol } = new URL(url)
  return protocol === 'https:' || protocol === 'http:'
}
