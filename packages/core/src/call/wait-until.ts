import type { Logger } from '../util/logger.ts'
import { attempt } from '../util/promises.ts'

/** A platform that stops the process between requests unless it is asked to keep running. */
export interface WorkHost {
  waitUntil?(work: Promise<unknown>): void
}

/**
 * Returns the only part of a request that its call may store. Handlers may log their context, and the headers
 * contain the token.
 */
export const workHostOf = (request: WorkHost): WorkHost | undefined =>
  request.waitUntil && { waitUntil: (work) => request.waitUntil?.(work) }

interface WorkCount {
  begin(): void
  end(): void
}

/** Work that continues after its call. When the mount closes, it waits for this work. */
export class WaitUntil {
  readonly #count: WorkCount
  readonly #logger: Logger

  constructor(count: WorkCount, logger: Logger) {
    this.#count = count
    this.#logger = logger
  }

  /** @param failed - called to log a rejection */
  track(work: Promise<unknown>, host: WorkHost | undefined, failed: (error: unknown) => void): void {
    this.#count.begin()
    const done = Promise.resolve(work).then(
      () => this.#count.end(),
      (err: unknown) => {
        this.#count.end()
        failed(err)
      },
    )
    void attempt(
      () => host?.waitUntil?.(done),
      (err) => this.#logger.warn({ err }, 'The platform refused to wait for work passed to ctx.waitUntil'),
    )
  }
}
