import type { Logger } from '../../util/logger.ts'
import type { Session } from '../../session/session.ts'
import { Recurring } from '../../util/timers.ts'
import type { EndpointContext } from '../context.ts'
import type { KeepAliveOptions } from '../options.ts'

/**
 * Pings the clients of one mount with a single timer, and closes the sessions of clients that do not respond.
 */
export class Pings {
  readonly #sessions = new Set<Session>()
  readonly #maxMissed: number
  readonly #logger: Logger
  readonly #timer: Recurring

  constructor(
    { clock, logger }: Pick<EndpointContext, 'clock' | 'logger'>,
    { intervalMs, maxMissed }: Required<KeepAliveOptions>,
  ) {
    this.#maxMissed = maxMissed
    this.#logger = logger
    this.#timer = new Recurring(clock, intervalMs, () => this.#round())
  }

  /** Pings a session's client until the session closes. */
  add(session: Session): void {
    this.#sessions.add(session)
    this.#timer.start()
    session.onClose(() => {
      this.#sessions.delete(session)
      if (this.#sessions.size === 0) this.#timer.stop()
    })
  }

  #round(): void {
    for (const session of this.#sessions) {
      if (session.unansweredPings < this.#maxMissed) session.ping()
      else this.#end(session)
    }
  }

  #end(session: Session): void {
    const { id: sessionId, unansweredPings: missed } = session
    this.#logger.info({ sessionId, missed }, 'A session was closed: its client does not answer pings')
    session.close()
  }
}
