import type { AuthInfo } from '../stores/principal.ts'
import type { SessionView } from './context.ts'
import type { Logger } from '../util/logger.ts'

/** A session has begun here, or has been taken over from another process. */
export interface SessionOpened {
  readonly sessionId: string
  /** For `server.forSession`. */
  readonly session: SessionView
  /** An empty string for an anonymous client. */
  readonly principal: string
  /** The negotiated protocol revision. */
  readonly revision: string
  /** What the client calls itself; not authenticated. */
  readonly client: string | undefined
  /** Whether the session began in another process. */
  readonly resumed: boolean
}

/** A session has ended here: by its client, by expiry, by eviction or because the mount closes. */
export interface SessionClosed {
  readonly sessionId: string
  readonly principal: string
  /** How long it was open in this process, in ms. */
  readonly durationMs: number
}

/** A client says that the places which it works in are others now; `ctx.listRoots()` asks for them. */
export interface RootsChanged {
  readonly sessionId: string
  readonly session: SessionView
  readonly principal: string
}

/**
 * How a request ended: `ok`; `failed`, a tool result with `isError`; `error`, a JSON-RPC error; `cancelled`, without an
 * answer.
 */
export type RequestOutcome = 'ok' | 'failed' | 'error' | 'cancelled'

/** A request has been served. */
export interface RequestServed {
  readonly method: string
  /** The tool, the prompt or the address of the resource, as the peer wrote it: it may name nothing that exists. */
  readonly name: string | undefined
  readonly durationMs: number
  readonly outcome: RequestOutcome
  /** The code of a JSON-RPC error. */
  readonly errorCode: number | undefined
  readonly sessionId: string | undefined
  readonly auth: AuthInfo | undefined
  /** The protocol revision. */
  readonly revision: string
}

/** A message has been turned away before it reached a handler. */
export interface Rejected {
  /**
   * Where it came in: an address of an HTTP mount, a transport that is a connection of its own, or, as `raw`,
   * `server.handleMessage`.
   */
  readonly route: 'mcp' | 'sse' | 'message' | 'duplex' | 'raw'
  /** The HTTP status of the reason; undefined where there is no HTTP. A batch or a stream has a status of its own. */
  readonly status: number | undefined
  /** A key of the table of statuses, for example `forbiddenHost` or `unknownSession`. */
  readonly reason: string
}

/** A limit on what waits has been reached. */
export interface Overflowed {
  /**
   * What is full: a `stream` to one client, the queue of a `connection`, the `calls` of a session, or the `subscriptions`
   * of a principal, a mount or a connection.
   */
  readonly queue: 'stream' | 'connection' | 'calls' | 'subscriptions'
  /** What became of it: the message was dropped, the connection was cut so that the client resumes, the call refused. */
  readonly action: 'drop' | 'cut' | 'refuse'
  /** The size of what found no room, in bytes of UTF-8; 0 for calls and subscriptions. */
  readonly bytes: number
  readonly sessionId: string | undefined
}

/** What a server tells of its work, for metrics and audits; see `server.on`. */
export interface ServerEvents {
  readonly 'session:open': SessionOpened
  readonly 'session:close': SessionClosed
  readonly 'roots:change': RootsChanged
  readonly request: RequestServed
  readonly reject: Rejected
  readonly overflow: Overflowed
}

export const SERVER_EVENTS: readonly (keyof ServerEvents)[] = [
  'session:open',
  'session:close',
  'roots:change',
  'request',
  'reject',
  'overflow',
]

/** Hears of one kind of event. What it throws is logged and harms nothing. */
export type ServerListener<Event extends keyof ServerEvents> = (payload: ServerEvents[Event]) => unknown

type AnyListener = (payload: never) => unknown

/** The listeners of one server. Costs one look-up where nobody listens. */
export class Events {
  readonly #logger: Logger
  readonly #listeners = new Map<keyof ServerEvents, readonly AnyListener[]>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** @returns what takes the listener away again */
  on<Event extends keyof ServerEvents>(event: Event, listener: ServerListener<Event>): () => void {
    // Wrapped, so that a function that listens twice is two listeners. Copied, so that emitting needs no copy.
    const own: AnyListener = (payload) => listener(payload)
    this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), own])
    return () => {
      const left = (this.#listeners.get(event) ?? []).filter((other) => other !== own)
      if (left.length === 0) this.#listeners.delete(event)
      else this.#listeners.set(event, left)
    }
  }

  hasListeners(event: keyof ServerEvents): boolean {
    return this.#listeners.has(event)
  }

  /** The payload is made only if somebody listens. */
  emit<Event extends keyof ServerEvents>(event: Event, payload: () => ServerEvents[Event]): void {
    const listeners = this.#listeners.get(event)
    if (listeners === undefined) return
    const made = payload()
    for (const listener of listeners) this.#tell(event, () => listener(made as never))
  }

  #tell(event: string, listener: () => unknown): void {
    const failed = (err: unknown): void =>
      this.#logger.error({ err, event }, 'A listener of the server failed')
    try {
      const told = listener()
      if (told instanceof Promise) told.catch(failed)
    } catch (error) {
      failed(error)
    }
  }
}
