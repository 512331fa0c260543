import { DEFAULT_PARSE_LIMITS, type ParseLimits } from '../protocol/parse.ts'
import { narrowRevisions } from '../protocol/revisions/index.ts'
import type { RevisionDate } from '../protocol/revisions/revision.ts'
import { utf8Length } from '../util/bytes.ts'
import { checkNames, type OptionNames } from '../util/check-options.ts'
import type { Caller } from '../call/scope.ts'
import { WaitUntil } from '../call/wait-until.ts'
import { Drainable } from '../session/drainable.ts'
import type { MountHandle, ServerMount, ServerRuntime } from '../session/server-runtime.ts'
import { type Gauges, type MountStats, NOTHING_HELD, Refusals } from '../session/stats.ts'
import { checkTransport, type Transport, type TransportClose } from './transport.ts'
import { DuplexConversation } from './conversation.ts'
import { Outbox } from './outbox.ts'

/** Options for `server.connect(transport)`. */
export interface ConnectionOptions extends Pick<Caller, 'auth' | 'locals'> {
  /** The revisions to serve. @default all revisions that the server supports */
  readonly revisions?: readonly RevisionDate[]
  readonly parseLimits?: ParseLimits
  /** How long running calls may continue after the client has closed its side, in ms. @default 2_000 */
  readonly endGraceMs?: number
}

/** Connects one client on a duplex transport, such as stdio or the in-memory transport. */
export interface Connection extends MountHandle {}

const CONNECTION_OPTIONS: OptionNames<ConnectionOptions> = {
  auth: 1,
  locals: 1,
  revisions: 1,
  parseLimits: { maxDepth: 1, maxTokens: 1 },
  endGraceMs: 1,
}

const DEFAULT_END_GRACE_MS = 2_000

/**
 * Serves one client on a transport. A session starts with the client's `initialize`.
 *
 * @throws `ERR_MCP_OPTION`; `ERR_MCP_CLOSED` if the server is closed; the errors of the transport's `start`
 */
export function serveTransport(
  runtime: ServerRuntime,
  transport: Transport,
  options: ConnectionOptions = {},
): Connection {
  checkTransport(transport)
  checkNames(options, CONNECTION_OPTIONS)
  const connection = new DuplexConnection(runtime, transport, options)
  connection.start()
  return connection
}

class DuplexConnection implements Connection, ServerMount {
  readonly #runtime: ServerRuntime
  readonly #transport: Transport
  readonly #options: ConnectionOptions
  readonly #refusals: Refusals
  readonly #work: Drainable
  readonly #outbox: Outbox
  readonly #conversation: DuplexConversation
  #unsubscribe = (): void => {}

  constructor(runtime: ServerRuntime, transport: Transport, options: ConnectionOptions) {
    this.#runtime = runtime
    this.#transport = transport
    this.#options = options
    this.#refusals = new Refusals(runtime.refusals)
    this.#work = new Drainable(runtime.clock, {
      begin: () => this.#conversation.drain(),
      finish: () => this.#finish(),
    })
    this.#outbox = new Outbox({
      transport,
      onBroken: (error) => this.#broken(error),
      onDrop: (frame) => this.#dropped(frame),
    })
    const { auth, locals } = options
    const background = new WaitUntil(this.#work, runtime.logger)
    this.#conversation = new DuplexConversation({
      runtime,
      caller: { auth, local: auth === undefined, locals, background },
      served: narrowRevisions(runtime.revisions, options.revisions),
      parseLimits: options.parseLimits ?? DEFAULT_PARSE_LIMITS,
      outbox: this.#outbox,
      work: this.#work,
      onRefused: (reason) => this.#refused(reason),
      onBroken: (error) => this.#broken(error),
    })
  }

  get closed(): Promise<void> {
    return this.#work.closed
  }

  start(): void {
    // The mount is attached first, because attaching throws if the server is closed, and nothing has been opened
    // yet.
    this.#runtime.attach(this)
    this.#unsubscribe = this.#runtime.onChange((event) => {
      this.#conversation.session?.onChange(event)
      this.#conversation.subscriptions.onChange(event)
    })
    try {
      const started = this.#transport.start({
        message: (text) => this.#conversation.take(text),
        malformed: (reason) => this.#conversation.malformed(reason),
        close: (reason) => this.#peerClosed(reason),
      })
      if (started instanceof Promise)
        started.catch((error: unknown) => this.#peerClosed({ kind: 'error', error }))
    } catch (error) {
      this.#release()
      this.#work.finish()
      throw error
    }
  }

  close(options?: { readonly deadline?: number }): Promise<void> {
    return this.#work.close(options)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  gauges(): Gauges {
    const { session, calls } = this.#conversation
    const open = session?.closed === false ? session : undefined
    return {
      ...NOTHING_HELD,
      sessions: open === undefined ? 0 : 1,
      queuedBytes: this.#transport.queued ?? 0,
      callsInFlight: (open?.inFlight ?? 0) + calls.inFlight(),
    }
  }

  stats(): MountStats {
    return { ...this.gauges(), draining: this.#work.closing, refusals: this.#refusals.snapshot() }
  }

  async #finish(): Promise<void> {
    this.#conversation.session?.close()
    this.#conversation.calls.endAll()
    await this.#conversation.flushed()
    this.#release()
    try {
      await this.#transport.close()
    } catch (error) {
      this.#runtime.logger.warn({ err: error }, 'A transport failed to close')
    }
  }

  #release(): void {
    this.#outbox.end()
    this.#unsubscribe()
    this.#runtime.dispatcher.releaseTimers()
  }

  /** Runs when the client has closed its side. The client's running calls may finish. */
  #peerClosed(reason: TransportClose): void {
    if (reason.kind === 'error') this.#runtime.logger.warn({ err: reason.error }, 'The transport failed')
    this.#conversation.session?.rejectRequests()
    void this.close({ deadline: this.#options.endGraceMs ?? DEFAULT_END_GRACE_MS })
  }

  /** Closes the connection after a response was lost. Otherwise, the client would wait for it forever. */
  #broken(error: unknown): void {
    if (!this.#work.closing) this.#peerClosed({ kind: 'error', error })
  }

  #dropped(frame: string): void {
    this.#runtime.events.emit('overflow', () => ({
      queue: 'connection',
      action: 'drop',
      bytes: utf8Length(frame),
      sessionId: this.#conversation.session?.id,
    }))
  }

  #refused(reason: string): void {
    this.#refusals.count(reason)
    this.#runtime.events.emit('reject', () => ({ route: 'duplex', status: undefined, reason }))
  }
}
