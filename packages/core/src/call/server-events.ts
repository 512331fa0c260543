import type { AuthInfo } from '../stores/principal.ts'
import type { SessionView } from './request-context.ts'
import type { Clock } from '../util/clock.ts'
import type { Logger } from '../util/logger.ts'
import { attempt } from '../util/promises.ts'
import type { CallContext } from './context.ts'
import type { EncodedResponse } from './response.ts'

/** A session has been started in this process, or has moved here from another process. */
export interface SessionOpened {
  readonly sessionId: string
  /** The argument for `server.forSession`. */
  readonly session: SessionView
  /** An empty string for an anonymous client. */
  readonly principal: string
  readonly revision: string
  /** The name with which the client identified itself; not authenticated. */
  readonly client: string | undefined
  /** Whether the session was started in another process. */
  readonly resumed: boolean
}

/**
 * A session ended in this process: the client deleted it, it expired or was evicted, or the mount is closing.
 */
export interface SessionClosed {
  readonly sessionId: string
  readonly principal: string
  readonly revision: string
  /** When the session started, in any process, in ms since 1970. */
  readonly createdAt: number
  /** How long the session was open in this process, in ms. */
  readonly durationMs: number
  /**
   * `ended`: the session has ended in every process. `released`: this process dropped the session, and another
   * process may continue it.
   */
  readonly cause: 'ended' | 'released'
}

/** The client's roots have changed; `ctx.listRoots()` requests them. */
export interface RootsChanged {
  readonly sessionId: string
  readonly session: SessionView
  readonly principal: string
}

/**
 * `failed` means a tool result with `isError`, and `error` a JSON-RPC error. A `cancelled` request has no
 * response.
 */
export type RequestOutcome = 'ok' | 'failed' | 'error' | 'cancelled'

/** A request has ended. */
export interface RequestServed {
  readonly method: string
  /** The name of the tool or prompt, or the URI of the resource, as the client sent it. It may not exist. */
  readonly name: string | undefined
  readonly durationMs: number
  readonly outcome: RequestOutcome
  /** The code of a JSON-RPC error. */
  readonly errorCode: number | undefined
  readonly sessionId: string | undefined
  readonly auth: AuthInfo | undefined
  readonly revision: string
}

/** A message was refused before it reached a handler. */
export interface Rejected {
  /**
   * The route of an HTTP mount, `duplex` for the stdio and in-memory transports, or `raw` for
   * `server.handleMessage`.
   */
  readonly route: 'mcp' | 'sse' | 'message' | 'duplex' | 'raw'
  /** The HTTP status of the refusal; undefined on other transports. */
  readonly status: number | undefined
  /** The reason, for example `forbiddenHost` or `unknownSession`. */
  readonly reason: string
}

/** A queue is full. */
export interface Overflowed {
  /**
   * The kind of queue: a `stream` to one client, the outgoing queue of a `connection`, the `calls` of a
   * session, or the `subscriptions` of a principal, mount or connection.
   */
  readonly queue: 'stream' | 'connection' | 'calls' | 'subscriptions'
  /**
   * `drop`: the message was dropped. `cut`: the connection was closed so that the client reconnects and
   * resumes. `refuse`: the call was refused.
   */
  readonly action: 'drop' | 'cut' | 'refuse'
  /** The size of the message in bytes; 0 for calls and subscriptions. */
  readonly bytes: number
  readonly sessionId: string | undefined
}

/** The events of a server, for metrics and audits; see `server.on`. */
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

/** A listener for one kind of event. Errors that it throws are logged. */
export type ServerListener<Event extends keyof ServerEvents> = (payload: ServerEvents[Event]) => unknown

type AnyListener = (payload: never) => unknown

/** The listeners of one server. An event without listeners costs one look-up. */
export class Events {
  readonly #logger: Logger
  readonly listeners: Map<keyof ServerEvents, readonly AnyListener[]> = new Map()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** @returns a function that removes the listener */
  on<Event extends keyof ServerEvents>(event: Event, listener: ServerListener<Event>): () => void {
    // The function is wrapped so that, if it is added twice, it counts as two listeners. The list is copied on
    // each change, so that emitting an event needs no copy.
    const wrapped: AnyListener = (payload) => listener(payload)
    this.listeners.set(event, [...(this.listeners.get(event) ?? []), wrapped])
    return () => {
      const left = (this.listeners.get(event) ?? []).filter((other) => other !== wrapped)
      if (left.length === 0) this.listeners.delete(event)
      else this.listeners.set(event, left)
    }
  }

  emit<Event extends keyof ServerEvents>(event: Event, payload: () => ServerEvents[Event]): void {
    const listeners = this.listeners.get(event)
    if (listeners === undefined) return
    const made = payload()
    const failed = (err: unknown): void =>
      this.#logger.error({ err, event }, 'A listener of the server failed')
    for (const listener of listeners) void attempt(() => listener(made as never), failed)
  }
}

/** Runs a call, and emits the `request` event with its outcome. */
export function reportRequest(
  { events, clock }: { readonly events: Events; readonly clock: Clock },
  ctx: CallContext,
  run: () => EncodedResponse | Promise<EncodedResponse>,
): EncodedResponse | Promise<EncodedResponse> {
  const start = clock.now()
  const report = (ctx.report ??= { failed: false })
  const emit = (answer: EncodedResponse): EncodedResponse => {
    events.emit('request', () => describe(ctx, answer, report.failed, clock.now() - start))
    return answer
  }
  const answer = run()
  return answer instanceof Promise ? answer.then(emit) : emit(answer)
}

function describe(
  ctx: CallContext,
  answer: EncodedResponse,
  failed: boolean,
  durationMs: number,
): RequestServed {
  const { method, params } = ctx.message
  const name = params?.['name'] ?? params?.['uri']
  return {
    method,
    name: typeof name === 'string' ? name : undefined,
    durationMs,
    outcome: outcomeOf(answer, failed),
    errorCode: answer?.error?.code,
    sessionId: ctx.session?.id,
    auth: ctx.auth,
    revision: ctx.protocolVersion,
  }
}

/** @param failed - whether the result has `isError` */
export function outcomeOf(answer: EncodedResponse, failed: boolean): RequestOutcome {
  if (answer === undefined) return 'cancelled'
  if (answer.error !== undefined) return 'error'
  return failed ? 'failed' : 'ok'
}
