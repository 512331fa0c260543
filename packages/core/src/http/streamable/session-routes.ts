import { usageError } from '../../errors.ts'
import { ofEra } from '../../protocol/revisions/index.ts'
import { hasSessions, selectRevision } from '../../protocol/revisions/select.ts'
import { principalOf } from '../../stores/principal.ts'
import { initialize } from '../../session/initialize.ts'
import { MemoryEventStore } from '../../stores/memory-event-store.ts'
import { MemorySessionStore } from '../../stores/memory-session-store.ts'
import { randomToken } from '../../util/random.ts'
import { createSealer } from '../../util/sealer.ts'
import type { Caller } from '../../call/context.ts'
import type { Session } from '../../session/session.ts'
import { initializeReply, initializeRefused, type InitializeRequest } from './initialize-reply.ts'
import { LegacySse } from '../legacy-sse/sse-transport.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { EndpointContext } from '../mount.ts'
import type { EndpointOptions, ResolvedOptions } from '../options.ts'
import { readerOf, type StreamReader } from '../streams/sse-writer.ts'
import { Pings } from '../sessions/pings.ts'
import { type EventStream, PlainStream } from '../streams/plain-stream.ts'
import { SealedIds } from '../sessions/sealed-ids.ts'
import { SessionTable } from '../sessions/session-table.ts'
import { parseEventId } from '../streams/sse-format.ts'
import { ENDED, refuse, refuseRevision } from '../refusals.ts'
import { replay, ResumableStream, type StreamLog } from '../streams/resumable-stream.ts'
import type { ServedServer } from '../served-server.ts'
import type { HttpReply, HttpRequest } from '../types.ts'

type Reply = HttpReply | Promise<HttpReply>

/** Characters, of six random bits each. */
const STREAM_TOKEN_LENGTH = 12

/** What a mount has beside its calls because there are sessions: they themselves, their streams, and HTTP+SSE. */
export class SessionRoutes {
  readonly #context: EndpointContext
  readonly #sessions: SessionTable
  readonly #sse: LegacySse | undefined

  constructor(context: EndpointContext, sessions: SessionTable, sse: LegacySse | undefined) {
    this.#context = context
    this.#sessions = sessions
    this.#sse = sse
  }

  /** @throws StoreFailure */
  find(request: HttpRequest, caller: Caller, id: string): ReturnType<SessionTable['find']> {
    return this.#sessions.find(request, caller, id)
  }

  /** Everything that is live, on either transport. */
  *all(): Iterable<{ readonly session: Session; readonly server: ServedServer }> {
    yield* this.#sessions.all()
    for (const { session, server } of this.#sse?.all() ?? [])
      if (session !== undefined) yield { session, server }
  }

  async open({ request, caller, message, server, served }: InitializeRequest): Promise<HttpReply> {
    const principal = principalOf(caller)
    if (!this.#sessions.reserve(principal)) return refuse('tooManySessions', { id: message.id })
    try {
      const opened = await initialize(server.runtime, {
        served,
        message,
        principal,
        id: (draft) => this.#sessions.name(draft),
      })
      if (opened.session === undefined) return initializeRefused(message, opened.error)
      const { session, frame } = opened
      await this.#sessions.open(session, server)
      return initializeReply(this.#context, frame, {
        request,
        server,
        headers: { 'mcp-session-id': session.id },
      })
    } finally {
      this.#sessions.release(principal)
    }
  }

  get(request: HttpRequest, caller: Caller): Reply {
    return this.#within(request, caller, (live) => {
      const from = request.header('last-event-id')
      const reader = readerOf(request, caller)
      return from === undefined ? this.#listen(live, reader) : this.#resume(live, from, reader)
    })
  }

  delete(request: HttpRequest, caller: Caller): Reply {
    return this.#within(request, caller, (live) => {
      live.session.close()
      return live.forgotten === undefined ? ENDED : live.forgotten.then(() => ENDED)
    })
  }

  /** The doors beside the MCP path. */
  legacySse(request: HttpRequest, caller: Caller): ReturnType<LegacySse['handle']> | undefined {
    return this.#sse?.handle(request, caller)
  }

  /** One that can be resumed, where there is a log of events. */
  openStream(live: LiveSession): EventStream {
    const { events, random } = this.#context
    const { server, session } = live
    if (events === undefined) return new PlainStream(this.#context, server, session.id)
    const token = randomToken(STREAM_TOKEN_LENGTH, random)
    const stream = new ResumableStream(this.#context, {
      server,
      log: { store: events, key: { ...sessionKey(live), stream: token } },
      primes: session.revision.primesStreams,
      onEnd: () => live.removeStream(token),
    })
    live.addStream(token, stream)
    return stream
  }

  drain(): void {
    this.#sse?.drain()
  }

  endStandalone(): void {
    this.#sessions.endStandalone()
  }

  closeAll(): void {
    this.#sessions.closeAll()
    this.#sse?.closeAll()
  }

  /** What GET and DELETE have in common: a session of the caller's own, and a revision that is served. */
  #within(request: HttpRequest, caller: Caller, then: (live: LiveSession) => Reply): Reply {
    const id = request.header('mcp-session-id')
    if (id === undefined) return refuse('missingSession')
    const live = this.#sessions.find(request, caller, id)
    const go = (found: LiveSession | undefined): Reply => {
      if (found === undefined) return refuse('unknownSession')
      const selection = selectRevision({
        message: undefined,
        header: request.header('mcp-protocol-version'),
        session: found.session.revision,
        served: this.#context.served,
        stateless: false,
      })
      return selection.kind === 'refuse' ? refuseRevision(selection, undefined) : then(found)
    }
    return live instanceof Promise ? live.then(go) : go(live)
  }

  /** The stream for what belongs to no request. A new one takes the place of the one before. */
  #listen(live: LiveSession, reader: StreamReader): HttpReply {
    live.standalone?.close()
    const stream = this.openStream(live)
    live.standalone = stream
    live.session.attach(stream)
    return stream.connect(reader)
  }

  /** Every way of not finding the event is answered with the same bytes. */
  async #resume(live: LiveSession, lastEventId: string, reader: StreamReader): Promise<HttpReply> {
    const from = parseEventId(lastEventId)
    if (from === undefined || this.#context.events === undefined) return refuse('unknownEvent')
    const stream = live.stream(from.stream)
    const log: StreamLog = { store: this.#context.events, key: { ...sessionKey(live), stream: from.stream } }
    const reply = await (stream === undefined
      ? replay(this.#context, live.server, { log, from, reader })
      : stream.resume(from, reader))
    return reply ?? refuse('unknownEvent')
  }
}

const sessionKey = ({ key }: LiveSession): { readonly principal: string; readonly session: string } => ({
  principal: key.principal,
  session: key.id,
})

/**
 * Undefined where there are no sessions.
 *
 * @throws `ERR_MCP_OPTION`
 */
export function createSessionRoutes(
  context: EndpointContext,
  options: EndpointOptions,
): SessionRoutes | undefined {
  const { clock } = context
  const sealed = createSealedIds(context)
  if (context.options.stateless) return undefined
  const { max, maxPerPrincipal } = context.options.sessions
  const store = options.sessions?.store ?? new MemorySessionStore({ max, maxPerPrincipal, clock })
  const sessions = new SessionTable(context, store, sealed)
  return new SessionRoutes(context, sessions, createLegacySse(context, sessions, options))
}

function createSealedIds({ options, servers, clock, random }: EndpointContext): SealedIds | undefined {
  const { seal, sessions } = options
  if (seal === undefined) return undefined
  return new SealedIds({
    sealer: createSealer({ keys: seal.keys, name: 'sessions.seal.keys', random }),
    server: servers.single?.runtime.info.name ?? '',
    maxAgeMs: seal.maxAgeMs,
    maxEnded: sessions.max,
    clock,
    random,
  })
}

function createLegacySse(
  context: EndpointContext,
  sessions: SessionTable,
  options: EndpointOptions,
): LegacySse | undefined {
  const { legacySse: paths } = context.options
  if (paths === undefined) return undefined
  if (!hasSessions(context.served))
    throw usageError(
      'ERR_MCP_OPTION',
      'legacySse needs sessions: leave it out, or serve a revision that has them',
    )
  const { pathname } = new URL(options.publicUrl ?? 'http://localhost')
  return new LegacySse({
    context,
    sessions,
    paths,
    served: ofEra('legacy', context.served),
    publicPath: pathname === '/' ? undefined : pathname,
  })
}

/** What the parts of a mount share for the sake of its sessions. */
export function partsForSessions(
  { clock, random, logger }: Pick<EndpointContext, 'clock' | 'random' | 'logger'>,
  { streams }: EndpointOptions,
  { bodyLimit, stateless, keepAlive }: ResolvedOptions,
): Pick<EndpointContext, 'events' | 'pings'> {
  if (stateless) return { events: undefined, pings: undefined }
  const { eventStore } = streams ?? {}
  return {
    events:
      eventStore === false
        ? undefined
        : (eventStore ?? new MemoryEventStore({ maxFinalBytes: bodyLimit, clock, random })),
    pings:
      keepAlive !== false && keepAlive.mode === 'ping' ? new Pings({ clock, logger }, keepAlive) : undefined,
  }
}
