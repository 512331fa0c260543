import { ErrorCode, isObject, type JsonObject, McpError, type Revision } from '@jetway/core/protocol'
import type { Clock } from '@jetway/core/stores'
import { ClientError, ConnectionClosedError } from '../errors.ts'
import { deferred, orAborted, within } from '../waiting.ts'
import type { OpenedUrls } from './opened-urls.ts'
import { type ElicitAnswer, type ElicitUrlAnswer, type ElicitUrlRequest, isWebAddress } from './questions.ts'

/** Addresses that one error may name, and those that a person is asked to open at once. */
const MAX_URLS = 64

interface RequiredUrl extends ElicitUrlRequest {
  readonly elicitationId: string
}

/**
 * The user has to open addresses before the server goes on with a request (`-32042`), and that has not come about. The
 * request can be made again when they have.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-elicitation-required-error
 */
export class UrlElicitationRequiredError extends McpError {
  readonly elicitations: readonly ElicitUrlRequest[]
  /**
   * What the user did: `accept` where they were not done in time; undefined where there is no handler to ask them.
   */
  readonly action: ElicitAnswer['action'] | undefined

  constructor(
    elicitations: readonly ElicitUrlRequest[],
    data: unknown,
    action?: ElicitAnswer['action'],
    options: ErrorOptions = {},
  ) {
    const urls = elicitations.map(({ url }) => url).join(', ')
    super(ErrorCode.UrlElicitationRequired, `The user has to open an address first: ${urls}`, data)
    this.name = 'UrlElicitationRequiredError'
    this.elicitations = elicitations
    this.action = action
    if (options.cause !== undefined) this.cause = options.cause
  }
}

export interface RequiredUrlsOptions {
  /** Asks a person; undefined where there is nobody to be asked. */
  readonly ask: ((request: ElicitUrlRequest, signal: AbortSignal) => Promise<ElicitUrlAnswer>) | undefined
  readonly opened: OpenedUrls
  readonly clock: Clock
  /** Ms for what a person does at an address, once they have agreed to open it. */
  readonly waitMs: number
  readonly maxRounds: number
  /** Aborts with the error of those who wait when the connection ends. */
  readonly ended: AbortSignal
}

interface Waiting {
  readonly method: string
  readonly revision: Revision
  readonly signal: AbortSignal | undefined
}

/** How the question for one address ended. */
type Outcome = 'done' | 'decline' | 'cancel' | 'late'

/** One that is being asked, for every call that waits for it. */
interface Opening {
  readonly outcome: Promise<Outcome>
  readonly controller: AbortController
  waiting: number
}

/** Has a person open what a server wants opened before it answers, and asks it again then. */
export class RequiredUrls {
  readonly #options: RequiredUrlsOptions
  readonly #open = new Map<string, Opening>()

  constructor(options: RequiredUrlsOptions) {
    this.#options = options
  }

  /**
   * Sends a request, and again for as long as it takes opened addresses. Such a request has not been processed, so that
   * sending it again does nothing twice.
   *
   * @throws UrlElicitationRequiredError, ClientError `too-many-rounds`, `unanswerable`
   */
  async around(send: () => Promise<JsonObject>, waiting: Waiting): Promise<JsonObject> {
    for (let round = 0; ; round++) {
      try {
        return await send()
      } catch (error) {
        const required = waiting.revision.elicitationIds ? readRequired(error) : undefined
        if (required === undefined) throw error
        if (round === this.#options.maxRounds)
          throw new ClientError(
            'too-many-rounds',
            `${waiting.method} wanted addresses opened ${round + 1} times`,
            {
              cause: error,
            },
          )
        await this.#openAll(required, error as McpError, waiting.signal)
      }
    }
  }

  /** All of them side by side, as people may have to go to one for the other. Where one fails, no other is needed. */
  async #openAll(
    required: readonly RequiredUrl[],
    { data }: McpError,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { ask, ended } = this.#options
    if (ask === undefined) throw new UrlElicitationRequiredError(required, data)
    const over = new AbortController()
    const until = AbortSignal.any([over.signal, ended, ...(signal === undefined ? [] : [signal])])
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
      const text = cause instanceof Error ? cause.message : String(cause)
      throw new ClientError('unanswerable', `A question of the server has no answer: ${text}`, { cause })
    } finally {
      over.abort(new Error('The questions are over'))
    }
  }

  /** Calls that run side by side may want the same address: a person is asked once. */
  async #share(
    request: RequiredUrl,
    ask: NonNullable<RequiredUrlsOptions['ask']>,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const key = JSON.stringify([request.elicitationId, request.url])
    const opening = this.#open.get(key) ?? this.#begin(key, request, ask)
    opening.waiting++
    try {
      return await orAborted(opening.outcome, signal)
    } finally {
      if (--opening.waiting === 0) opening.controller.abort(signal.reason)
    }
  }

  #begin(key: string, request: RequiredUrl, ask: NonNullable<RequiredUrlsOptions['ask']>): Opening {
    if (this.#open.size >= MAX_URLS)
      throw new ClientError('unanswerable', `The user is asked to open ${MAX_URLS} addresses already`)
    const controller = new AbortController()
    const outcome = this.#outcome(request, ask, controller.signal).finally(() => {
      this.#open.delete(key)
      controller.abort(new Error('The question is over'))
    })
    outcome.catch(() => {})
    const opening: Opening = { outcome, controller, waiting: 0 }
    this.#open.set(key, opening)
    return opening
  }

  /** The server may say that it is finished before the person does, and says so whether they agreed or not. */
  async #outcome(
    request: RequiredUrl,
    ask: NonNullable<RequiredUrlsOptions['ask']>,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { opened, clock, waitMs } = this.#options
    const finished = deferred<Outcome>()
    const leave = opened.note(request.elicitationId, () => finished.resolve('done'))
    const late = new Error('The user was not done in time')
    try {
      const answered = ask(request, signal).then(({ action, done }) => {
        if (action !== 'accept') return action
        return done === true ? 'done' : undefined
      })
      const first = await Promise.race([finished.promise, answered])
      if (first !== undefined) return first
      return await within(orAborted(finished.promise, signal), { ms: waitMs, clock, late: () => late })
    } catch (error) {
      if (error === late) return 'late'
      throw error
    } finally {
      leave()
    }
  }
}

/** What an error wants opened; undefined for any other, and for one that does not say it as it should. */
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
  return (
    mode === 'url' && typeof message === 'string' && typeof elicitationId === 'string' && isWebAddress(url)
  )
}
