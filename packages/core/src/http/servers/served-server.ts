import { ofEra } from '../../protocol/revisions/index.ts'
import type { Revision } from '../../protocol/revisions/revision.ts'
import type { Clock } from '../../util/clock.ts'
import type { Subscription } from '../../subscriptions/subscription.ts'
import { Drainable } from '../../session/drainable.ts'
import type { ServerMount, ServerRuntime } from '../../session/server-runtime.ts'
import type { Session } from '../../session/session.ts'
import type { Gauges } from '../../session/stats.ts'
import { isolatedRequests } from '../../util/platform.ts'

/** Counts the sessions, streams and calls of one server on a mount. */
export type Measure = (server: ServedServer) => Gauges

/**
 * A server on a mount, with its sessions and subscriptions on that mount. The server's bus informs them of
 * changes.
 */
export class ServedServer implements ServerMount {
  readonly runtime: ServerRuntime
  /** The revisions that both the server and the mount serve, newest first. */
  readonly served: readonly Revision[]
  /** The served revisions with sessions. */
  readonly legacy: readonly Revision[]
  /** The served revisions in which each request has its own metadata. */
  readonly modern: readonly Revision[]
  /** Called when no sessions, subscriptions, connections or calls are left. */
  onIdle: (() => void) | undefined
  readonly #measure: Measure
  readonly #work: Drainable
  readonly sessions: Set<Session> = new Set()
  readonly #subscriptions = new Set<Subscription>()
  /** The clients' connections, on which there may not be a session yet. */
  readonly #connections = new Set<{ close(): void }>()
  #calls = 0
  /** The number of bytes in replies that adapters are still sending. */
  sending = 0
  #unsubscribe: (() => void) | undefined

  constructor(runtime: ServerRuntime, mounted: readonly Revision[], clock: Clock, measure: Measure) {
    this.runtime = runtime
    this.served = mounted.filter((revision) => runtime.revisions.includes(revision))
    this.legacy = ofEra('legacy', this.served)
    this.modern = ofEra('modern', this.served)
    this.#measure = measure
    this.#work = new Drainable(clock, {
      begin: () => {
        for (const subscription of this.#subscriptions) subscription.close()
      },
      finish: () => this.finish(),
    })
  }

  get closed(): Promise<void> {
    return this.#work.closed
  }
  get closing(): boolean {
    return this.#work.closing
  }
  get idle(): boolean {
    return this.#calls + this.sessions.size + this.#subscriptions.size + this.#connections.size === 0
  }

  gauges(): Gauges {
    return this.#measure(this)
  }

  addSession(session: Session): void {
    this.sessions.add(session)
    this.#listen()
  }

  /** Must be called when a session has ended. */
  removeSession(session: Session): void {
    if (this.sessions.delete(session)) this.#removed()
  }

  /** Informs a subscription of changes until the subscription closes. */
  addSubscription(subscription: Subscription): void {
    // No other request can write to this stream.
    if (isolatedRequests()) {
      subscription.onClose(this.runtime.onChange((event) => subscription.onChange(event)))
      return
    }
    this.#subscriptions.add(subscription)
    subscription.onClose(() => {
      if (this.#subscriptions.delete(subscription)) this.#removed()
    })
    this.#listen()
  }

  /**
   * Starts listening for changes, including those on other nodes. Must be called before a subscription is
   * acknowledged.
   */
  listen(): Promise<void> | undefined {
    if (isolatedRequests()) return undefined
    this.#listen()
    return this.runtime.bus.ready?.()
  }

  /** Adds a connection, which is closed together with the server. */
  addConnection(connection: { close(): void }): void {
    this.#connections.add(connection)
  }

  removeConnection(connection: { close(): void }): void {
    if (this.#connections.delete(connection)) this.#checkIdle()
  }

  /** Counts bytes as being sent until the returned function is called. */
  hold(bytes: number): () => void {
    this.sending += bytes
    return () => {
      this.sending -= bytes
    }
  }

  begin(): void {
    this.#calls++
    this.#work.begin()
  }

  end(): void {
    this.#calls--
    this.#work.end()
    this.#checkIdle()
  }

  /** Closes the server's sessions on this mount. Sessions of other servers continue. */
  close(options?: { readonly deadline?: number }): Promise<void> {
    return this.#work.close(options)
  }

  /** Closes the server immediately, because the mount has already drained. */
  finish(): void {
    for (const connection of this.#connections) connection.close()
    for (const session of this.sessions) session.close()
    this.#stopListening()
    this.runtime.dispatcher.releaseTimers()
    this.#work.finish()
  }

  #listen(): void {
    this.#unsubscribe ??= this.runtime.onChange((event) => {
      for (const session of this.sessions) session.onChange(event)
      for (const subscription of this.#subscriptions) subscription.onChange(event)
    })
  }

  #stopListening(): void {
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
  }

  #removed(): void {
    if (this.sessions.size + this.#subscriptions.size === 0) this.#stopListening()
    this.#checkIdle()
  }

  #checkIdle(): void {
    if (this.idle) this.onIdle?.()
  }
}
