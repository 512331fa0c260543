import type { Clock } from '@jetway/core/stores'
import { Unavailable } from '../tokens/refused.ts'

const MAX_RUNNING = 64
/**
 * The maximum number of concurrent introspection requests for tokens of one kind. The rest are reserved for
 * the other kind.
 */
const SHARE = 48
/** The maximum number of tokens that have never been seen before and are waiting. */
const MAX_WAITING = 1_000
const WAIT_MS = 2_000

/**
 * The kind of token that an introspection request is about: one that has been active before, or one that has
 * never been seen, with its client's network.
 */
type Asked = { readonly kind: 'known' } | { readonly kind: 'unknown'; readonly network: string }

interface Waiter {
  readonly asked: Asked
  readonly settle: (error?: Unavailable) => void
}

/**
 * Limits the concurrent introspection requests to an authorization server. Because anyone can invent tokens,
 * tokens that have been active before have priority. The networks that send unknown tokens take turns, so a
 * network that sends many of them delays only itself.
 */
export class QuestionTurns {
  readonly #clock: Clock
  readonly #running = { known: 0, unknown: 0 }
  /**
   * At most one waiter for each known token, because concurrent requests with the same token share one
   * introspection request.
   */
  readonly #known = new Set<Waiter>()
  /** The other waiters, keyed by network. The first network is served next. */
  readonly #unknown = new Map<string, Set<Waiter>>()
  #unknownCount = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * @throws Unavailable after waiting for 2 s, or immediately if too many tokens that have never been seen are
   * waiting
   */
  async run<T>(asked: Asked, ask: () => Promise<T>): Promise<T> {
    if (this.#isFree(asked)) this.#running[asked.kind]++
    else await this.#wait(asked)
    try {
      return await ask()
    } finally {
      this.#running[asked.kind]--
      this.#startNext()
    }
  }

  #isFree({ kind }: Asked): boolean {
    const { known, unknown } = this.#running
    return known + unknown < MAX_RUNNING && this.#running[kind] < SHARE
  }

  #wait(asked: Asked): Promise<void> {
    if (asked.kind === 'unknown' && this.#unknownCount >= MAX_WAITING) this.#makeRoomFor(asked.network)
    return new Promise((resolve, reject) => {
      const timer = this.#clock.setTimeout(() => this.#end(waiter, tooMany()), WAIT_MS)
      const settle = (error?: Unavailable): void => {
        this.#clock.clearTimeout(timer)
        if (error === undefined) resolve()
        else reject(error)
      }
      const waiter = { asked, settle }
      this.#queueOf(asked).add(waiter)
      if (asked.kind === 'unknown') this.#unknownCount++
    })
  }

  #queueOf(asked: Asked): Set<Waiter> {
    if (asked.kind === 'known') return this.#known
    const queue = this.#unknown.get(asked.network) ?? new Set()
    this.#unknown.set(asked.network, queue)
    return queue
  }

  /**
   * Refuses the newest waiter from the network with the most waiters.
   *
   * @throws Unavailable if the newcomer's own network has the most
   */
  #makeRoomFor(network: string): void {
    const own = this.#unknown.get(network)
    let most = own ?? new Set<Waiter>()
    for (const queue of this.#unknown.values()) if (queue.size > most.size) most = queue
    const newest = [...most].at(-1)
    if (newest === undefined || most === own) throw tooMany()
    this.#end(newest, tooMany())
  }

  #startNext(): void {
    for (;;) {
      const [known] = this.#known
      const [queue] = this.#unknown.values()
      const [unknown] = queue ?? []
      const waiter = [known, unknown].find((one) => one !== undefined && this.#isFree(one.asked))
      if (waiter === undefined) return
      this.#running[waiter.asked.kind]++
      this.#end(waiter)
    }
  }

  /** Removes a waiter from its queue. Rejects with the error, if there is one; otherwise, it is the waiter's turn. */
  #end(waiter: Waiter, error?: Unavailable): void {
    const { asked, settle } = waiter
    const queue = this.#queueOf(asked)
    queue.delete(waiter)
    if (asked.kind === 'unknown') {
      this.#unknownCount--
      // The network goes to the end of the queue, so that the other networks are served next.
      this.#unknown.delete(asked.network)
      if (queue.size > 0) this.#unknown.set(asked.network, queue)
    }
    settle(error)
  }
}

const tooMany = (): Unavailable => new Unavailable('Too many tokens wait to be introspected')
