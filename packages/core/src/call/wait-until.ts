import type { Logger } from '../util/logger.ts'

/** A runtime that stops between requests, and that can be asked not to. */
export interface WorkHost {
  waitUntil?(work: Promise<unknown>): void
}

/** Counts work, so that a close can wait for it. */
export interface WorkCount {
  begin(): void
  end(): void
}

/** Work that outlives the call which began it: a close waits for it, and a failure of it is logged. */
export class WaitUntil {
  readonly #count: WorkCount
  readonly #logger: Logger

  constructor(count: WorkCount, logger: Logger) {
    this.#count = count
    this.#logger = logger
  }

  track(work: Promise<unknown>, host: WorkHost | undefined): void {
    this.#count.begin()
    const done = Promise.resolve(work).then(
      () => this.#count.end(),
      (err: unknown) => {
        this.#count.end()
        this.#logger.error({ err }, 'Work that a handler left to ctx.waitUntil failed')
      },
    )
    try {
      host?.waitUntil?.(done)
    } catch (error) {
      this.#logger.warn({ err: error }, 'The host refused to wait for work that outlives its request')
    }
  }
}
