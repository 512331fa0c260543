import type { Clock } from '../../util/clock.ts'
import type { Logger } from '../../util/logger.ts'
import { type Random, randomToken } from '../../util/random.ts'
import { RareLog } from '../../util/rare-log.ts'

/** Characters, of six random bits each. They alone make the id a secret. */
const SECRET_LENGTH = 32
const MARK_LENGTH = 6
/** Characters of a time in base 36, in seconds. */
const TIME_LENGTH = 7
const ID = /^(?:[\w-]+\.)?[\w-]{32}([\w-]{6})([0-9a-z]{7})$/

const SEVERAL_PROCESSES =
  'A client sent a session id that another process of this server has issued, or another mount. It got 404, and has to begin again. Several processes need one of these: a proxy that routes by the header Mcp-Session-Id, stateless: true, sessions.seal with the same keys, or one sessions.store'

export interface PlainIdsOptions {
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** The beginning of every id. */
  readonly prefix: string
}

/**
 * The ids of sessions that only this process knows: a secret, a mark of the process, and the time
 * when the session was opened, which its client knows anyway. So an unknown id shows whether a
 * process that runs at the same time has issued it, which is a mistake in the set-up; ids from before
 * a restart are older than this process.
 */
export class PlainIds {
  readonly #options: PlainIdsOptions
  readonly #several: RareLog
  #own: { readonly mark: string; readonly since: number } | undefined

  constructor(options: PlainIdsOptions) {
    this.#options = options
    this.#several = new RareLog(options.clock)
  }

  create(): string {
    const { mark } = this.#process()
    const secret = randomToken(SECRET_LENGTH, this.#options.random)
    // Joined, because V8 keeps the parts of a sum of strings.
    return [this.#options.prefix, secret, mark, encodeTime(this.#seconds())].join('')
  }

  /**
   * Logs, at most once in ten minutes, an unknown id that another process has issued since this one began.
   */
  unknown(id: string): void {
    const { mark, since } = this.#process()
    const [, issuer, time = ''] = ID.exec(id) ?? []
    if (issuer === undefined || issuer === mark) return
    const issued = Number.parseInt(time, 36)
    if (issued <= since || issued > this.#seconds() + 1) return
    this.#several.log((skipped) => this.#options.logger.warn({ skipped }, SEVERAL_PROCESSES))
  }

  /** Made on first use: Workers have no random numbers and no time before their first request. */
  #process(): { readonly mark: string; readonly since: number } {
    return (this.#own ??= { mark: randomToken(MARK_LENGTH, this.#options.random), since: this.#seconds() })
  }

  #seconds(): number {
    return Math.floor(this.#options.clock.now() / 1_000)
  }
}

const encodeTime = (seconds: number): string => seconds.toString(36).padStart(TIME_LENGTH, '0')
