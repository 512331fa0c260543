import type { Implementation, JsonObject, Revision } from '@jetway/core/protocol'
import type { Clock } from '@jetway/core/stores'
import { OpenedUrls } from './features/opened-urls.ts'
import { Questions } from './features/questions.ts'
import { RequiredUrls } from './features/required-urls.ts'
import { type ClientOptions, DEFAULTS } from './options.ts'

export interface AskingOptions {
  readonly options: ClientOptions
  readonly clock: Clock
  readonly server: () => Implementation | undefined
  readonly revision: () => Revision | undefined
  readonly onError: (error: Error) => void
}

/** Everything that is put to the host's handlers, by whatever way a server asks. */
export class Asking {
  readonly opened: OpenedUrls = new OpenedUrls()
  readonly urls: RequiredUrls
  readonly #questions: Questions
  readonly #revision: () => Revision | undefined
  /** Ends what waits for a person. */
  readonly #ended = new AbortController()

  constructor({ options, clock, server, revision, onError }: AskingOptions) {
    const { handlers = {}, name, answerTimeoutMs = DEFAULTS.answerTimeoutMs } = options
    const { opened } = this
    this.#revision = revision
    const samplesWithTools = options.capabilities?.sampling?.tools !== undefined
    this.#questions = new Questions({
      handlers,
      name,
      answerTimeoutMs,
      clock,
      server,
      opened,
      samplesWithTools,
      onError,
    })
    this.urls = new RequiredUrls({
      ask:
        handlers.elicitUrl === undefined
          ? undefined
          : (request, signal) => this.#questions.openUrl(request, signal),
      opened,
      clock,
      waitMs: answerTimeoutMs,
      maxRounds: options.maxRounds ?? DEFAULTS.maxRounds,
      ended: this.#ended.signal,
    })
  }

  /** The answer to a request of the server's own. */
  answer(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    return this.#questions.answer(method, params, { signal, revision: this.#revision() })
  }

  /** The answer to a question that came with a result: with the connection its call ends as well. */
  readonly answerForCall = (method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> =>
    this.answer(method, params, AbortSignal.any([signal, this.#ended.signal]))

  /** @param error - what those who wait are rejected with */
  end(error: Error): void {
    this.#ended.abort(error)
  }
}
