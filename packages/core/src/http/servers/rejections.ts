import type { Logger } from '../../util/logger.ts'
import { Refusals } from '../../session/stats.ts'
import { attempt } from '../../util/promises.ts'
import type { RejectListener } from '../options.ts'
import { reasonOf, type RefusalKey, STATUSES } from '../refusals.ts'
import type { ServedServers } from './served-servers.ts'
import type { HttpReply, HttpRequest } from '../types.ts'

/**
 * Counts a mount's refused requests. Reports each of them to the selected server, if there is one, and to
 * `onReject`.
 */
export class Rejections {
  readonly refusals: Refusals
  readonly #servers: ServedServers
  readonly #listener: RejectListener | undefined
  readonly #logger: Logger

  constructor(servers: ServedServers, listener: RejectListener | undefined, logger: Logger) {
    this.refusals = new Refusals(servers.single?.runtime.refusals)
    this.#servers = servers
    this.#listener = listener
    this.#logger = logger
  }

  /** Counts a reply if it is a refusal. A JSON-RPC error does not count, because it is a response. */
  addReply(request: HttpRequest, reply: HttpReply): void {
    const reason = reasonOf(reply)
    if (reason !== undefined) this.#emit(request, reason, reply.status)
  }

  /** Counts a refusal inside a stream or batch, whose reply has another status. */
  add(request: HttpRequest, reason: RefusalKey): void {
    this.#emit(request, reason, STATUSES[reason].status)
  }

  #emit(request: HttpRequest, reason: string, status: number): void {
    const { route } = request
    const server = this.#servers.of(request)
    this.refusals.count(reason)
    if (this.#servers.single === undefined) server?.runtime.refusals.count(reason)
    server?.runtime.events.emit('reject', () => ({ route, status, reason }))
    void attempt(
      () => this.#listener?.({ route, status, reason }),
      (err) => this.#logger.error({ err }, 'The option onReject failed'),
    )
  }
}
