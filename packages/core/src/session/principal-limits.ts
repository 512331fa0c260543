import { ANONYMOUS } from '../stores/principal.ts'
import { ConcurrencyLimit } from './concurrency-limit.ts'
import type { ServerRuntime } from './server-runtime.ts'

/** One limit for each authenticated principal, and one for all anonymous callers of a server. */
export class PrincipalLimits {
  /** Kept while idle: most calls of most servers share one. */
  readonly #anonymous = new WeakMap<ServerRuntime, ConcurrencyLimit>()
  readonly #byPrincipal = new Map<string, ConcurrencyLimit>()

  of(runtime: ServerRuntime, principal: string): ConcurrencyLimit {
    return principal === ANONYMOUS ? this.#ofAnonymous(runtime) : this.#ofPrincipal(runtime, principal)
  }

  #ofAnonymous(runtime: ServerRuntime): ConcurrencyLimit {
    let limit = this.#anonymous.get(runtime)
    if (limit === undefined) {
      limit = new ConcurrencyLimit(runtime.limits.anonymous)
      this.#anonymous.set(runtime, limit)
    }
    return limit
  }

  #ofPrincipal(runtime: ServerRuntime, principal: string): ConcurrencyLimit {
    let limit = this.#byPrincipal.get(principal)
    if (limit === undefined) {
      limit = new ConcurrencyLimit(runtime.limits, () => this.#byPrincipal.delete(principal))
      this.#byPrincipal.set(principal, limit)
    }
    return limit
  }
}
