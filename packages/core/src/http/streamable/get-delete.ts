import { selectRevision } from '../../protocol/revisions/select.ts'
import type { Caller } from '../../call/scope.ts'
import type { LegacySse } from '../legacy-sse/sse-transport.ts'
import type { EndpointContext } from '../context.ts'
import { ENDED, refuse, refuseRevision } from '../refusals.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { SessionTable } from '../sessions/session-table.ts'
import { parseEventId } from '../streams/sse-format.ts'
import { readerOf } from '../streams/sse-writer.ts'
import type { HttpReply, HttpRequest, Reply } from '../types.ts'
import { isolatedRequests } from '../../util/platform.ts'
import { Turns } from '../../util/promises.ts'

/** Serves a mount's routes for sessions: GET and DELETE on the MCP path, and HTTP+SSE. */
export class SessionRoutes {
  readonly table: SessionTable
  /** Undefined unless the `legacySse` option is set. */
  readonly legacySse: LegacySse | undefined
  readonly #context: EndpointContext
  /** Undefined on platforms that isolate requests, because requests cannot wait for each other there. */
  readonly #replays = isolatedRequests() ? undefined : new Turns()

  constructor(context: EndpointContext, table: SessionTable, legacySse: LegacySse | undefined) {
    this.#context = context
    this.table = table
    this.legacySse = legacySse
  }

  /** Handles GET and DELETE. Both require a session that belongs to the caller, and a revision that is served. */
  handle(request: HttpRequest, caller: Caller): Reply {
    const id = request.header('mcp-session-id')
    if (id === undefined) return refuse('missingSession')
    const live = this.table.find(request, caller, id)
    return live instanceof Promise
      ? live.then((found) => this.#handleIn(found, request, caller))
      : this.#handleIn(live, request, caller)
  }

  #handleIn(live: LiveSession | undefined, request: HttpRequest, caller: Caller): Reply {
    if (live === undefined) return refuse('unknownSession')
    const selection = selectRevision({
      message: undefined,
      header: request.header('mcp-protocol-version'),
      session: live.session.revision,
      served: this.#context.served,
      stateless: false,
    })
    if (selection.kind === 'refuse') return refuseRevision(selection, undefined)
    if (request.method === 'DELETE') {
      live.session.close()
      return live.forgotten === undefined ? ENDED : live.forgotten.then(() => ENDED)
    }
    const lastEventId = request.header('last-event-id')
    const reader = readerOf(request, caller)
    if (lastEventId === undefined) return live.listen(reader)
    // The reply is the same for every event that is not found, whatever the reason.
    const from = parseEventId(lastEventId)
    if (from === undefined) return refuse('unknownEvent')
    const resume = (): Promise<HttpReply> =>
      live.resume(from, reader).then((reply) => reply ?? refuse('unknownEvent'))
    return this.#replays?.next()?.then(resume) ?? resume()
  }
}
