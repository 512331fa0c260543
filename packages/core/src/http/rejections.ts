import type { Rejected } from '../call/server-events.ts'
import type { Logger } from '../util/logger.ts'
import { Refusals } from '../session/stats.ts'
import { reasonOf, type RefusalKey, STATUSES } from './refusals.ts'
import type { ServedServers } from './served-servers.ts'
import type { HttpReply, HttpRequest } from './types.ts'

/** Hears of a request that was turned away. */
export type RejectListener = (rejected: Rejected) => unknown

/** Counts what one mount turns away, and tells the server, where one was chosen, and the mount's own listener. */
export class Rejections {
  readonly refusals: Refusals
  readonly #tenants: ServedServers
  readonly #listener: RejectListener | undefined
  readonly #logger: Logger

  constructor(tenants: ServedServers, listener: RejectListener | undefined, logger: Logger) {
    this.refusals = new Refusals(tenants.single?.runtime.refusals)
    this.#tenants = tenants
    this.#listener = listener
    this.#logger = logger
  }

  /** Looks at a reply on its way out: an error of JSON-RPC is an answer and no refusal. */
  see(request: HttpRequest, reply: HttpReply): void {
    const reason = reasonOf(reply)
    if (reason !== undefined) this.#tell(request, reason, reply.status)
  }

  /** Something was refused inside a reply that has a status of its own: a stream, a batch. */
  tell(request: HttpRequest, reason: RefusalKey): void {
    this.#tell(request, reason, STATUSES[reason].status)
  }

  #tell(request: HttpRequest, reason: string, status: number): void {
    const { route } = request
    const tenant = this.#tenants.of(request)
    this.refusals.count(reason)
    if (this.#tenants.single === undefined) tenant?.runtime.refusals.count(reason)
    tenant?.runtime.events.emit('reject', () => ({ route, status, reason }))
    if (this.#listener !== undefined) this.#hear(this.#listener, { route, status, reason })
  }

  #hear(listener: RejectListener, rejected: Rejected): void {
    const failed = (err: unknown): void => this.#logger.error({ err }, 'The option onReject failed')
    try {
      const heard = listener(rejected)
      if (heard instanceof Promise) heard.catch(failed)
    } catch (error) {
      failed(error)
    }
  }
}
