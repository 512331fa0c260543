import {
  ErrorCode,
  isObject,
  type JsonObject,
  type JsonRpcRequest,
  McpError,
  Method,
  readTraceContext,
  type RequestId,
  type Revision,
  REVISIONS,
} from '@jetway/core/protocol'
import type { Clock } from '@jetway/core/stores'
import {
  type ClientTelemetry,
  type ClosedClientSession,
  SafeTelemetry,
  type SentFailure,
  type SentObservation,
  type ServedCall,
} from '@jetway/core/telemetry'
import type { RequestSettings } from './pending-request.ts'
import { ClientError } from '../errors.ts'
import type { ClientTransport, TransportClose } from '../transport/client-transport.ts'

/** The properties of a connection that telemetry records. */
export interface ObservedConnection {
  readonly revision: Revision | undefined
  readonly transport: ClientTransport
}

export interface ObservedRequest {
  readonly id: RequestId
  readonly method: string
  readonly params: JsonObject | undefined
}

export interface ReceivedQuestion {
  readonly message: JsonRpcRequest
  readonly signal: AbortSignal
  /** Whether the client handles the method. */
  readonly known: boolean
}

type Send = (params: JsonObject | undefined, settings: RequestSettings) => Promise<JsonObject>

/** Observes a client's requests and sessions. An error thrown by the telemetry does not make a request fail. */
export class RequestObserver {
  readonly #telemetry: ClientTelemetry
  readonly #safe: SafeTelemetry
  readonly #clock: Clock
  /** The open session; undefined in revisions without sessions. */
  #session: (Pick<ClosedClientSession, 'revision' | 'network'> & { readonly start: number }) | undefined

  constructor(telemetry: ClientTelemetry, clock: Clock, onError: (error: Error) => void) {
    this.#telemetry = telemetry
    this.#clock = clock
    this.#safe = new SafeTelemetry(clock, (cause) =>
      onError(new Error('The telemetry failed. The request continues without it', { cause })),
    )
  }

  /** Runs a step outside of any observation. */
  apart<T>(step: () => T): T {
    return this.#safe.within((run) => this.#telemetry.apart(run), step)
  }

  /** Sends a request and observes it. */
  async request(
    connection: ObservedConnection,
    request: ObservedRequest,
    settings: RequestSettings,
    send: Send,
  ): Promise<JsonObject> {
    const sent = this.#begin(connection, request)
    const result = await (sent === undefined
      ? send(request.params, settings)
      : this.#sendWithin(sent, connection, request, settings, send))
    if (request.method === Method.Initialize) this.#sessionOpened(result, connection)
    return result
  }

  /** Handles a request from the server and reports it to the observers. */
  async receive(
    connection: ObservedConnection,
    { message, signal, known }: ReceivedQuestion,
    answer: () => Promise<JsonObject>,
  ): Promise<JsonObject> {
    const observation = this.#safe.attempt(() =>
      this.#telemetry.active
        ? this.#telemetry.received({
            message,
            known,
            ...describe(connection),
            trace: readTraceContext(message.params),
            ctx: undefined,
            target: undefined,
            queuedMs: 0,
            header: () => undefined,
          })
        : undefined,
    )
    if (observation === undefined) return answer()
    const end = (served: ServedCall): void => {
      this.#safe.attempt(() => observation.end(signal.aborted ? { outcome: 'cancelled' } : served))
    }
    try {
      const result = await this.#safe.within((step) => observation.run(step), answer)
      end({ outcome: 'ok', ...(observation.wantsResult && { result }) })
      return result
    } catch (error) {
      end({ outcome: 'error', error: error instanceof McpError ? error : HIDDEN })
      throw error
    }
  }

  closed(reason: TransportClose): void {
    this.#sessionClosed(reason.kind === 'error' ? 'closed' : undefined)
  }

  #begin(connection: ObservedConnection, request: ObservedRequest): SentObservation | undefined {
    return this.#safe.attempt(() =>
      this.#telemetry.active ? this.#telemetry.sent({ ...request, ...describe(connection) }) : undefined,
    )
  }

  async #sendWithin(
    sent: SentObservation,
    connection: ObservedConnection,
    { method, params }: ObservedRequest,
    settings: RequestSettings,
    send: Send,
  ): Promise<JsonObject> {
    const { meta, headers } = sent
    const within = <T>(step: () => T): T => this.#safe.within((run) => sent.run(run), step)
    let ended = false
    const end = (response: Parameters<SentObservation['end']>[0]): void => {
      if (ended) return
      ended = true
      this.#safe.attempt(() => sent.end(response))
    }
    try {
      const result = await within(() =>
        send(meta === undefined ? params : withMeta(params, meta), {
          ...settings,
          headers: headers === undefined ? settings.headers : { ...settings.headers, ...headers },
          observed: { meta, within, acknowledged: () => end({}) },
        }),
      )
      end({ result, opened: method === Method.Initialize ? openedBy(result, connection) : undefined })
      return result
    } catch (error) {
      end({ failure: failureOf(error, settings.signal) })
      throw error
    }
  }

  /** Records a new session. If another session is still open, the server has lost it. */
  #sessionOpened(result: JsonObject, { transport }: ObservedConnection): void {
    this.#sessionClosed('session-lost')
    const revision = revisionOf(result)
    if (revision?.era !== 'legacy') return
    this.#session = { revision: revision.version, network: transport.network, start: this.#clock.now() }
  }

  #sessionClosed(failure: ClosedClientSession['failure']): void {
    const session = this.#session
    if (session === undefined) return
    this.#session = undefined
    const { revision, network, start } = session
    const seconds = (this.#clock.now() - start) / 1_000
    this.#safe.attempt(() => this.#telemetry.sessionClosed({ revision, network, seconds, failure }))
  }
}

/** The error that is sent to the server in place of an internal error. */
const HIDDEN = { code: ErrorCode.InternalError, message: 'The client could not answer' }

const describe = ({ revision, transport }: ObservedConnection) => ({
  revision: revision?.version,
  sessionId: revision?.era === 'modern' ? undefined : transport.sessionId,
  network: transport.network,
})

function withMeta(params: JsonObject | undefined, meta: JsonObject): JsonObject {
  const own = params?.['_meta']
  return { ...params, _meta: { ...meta, ...(isObject(own) ? own : {}) } }
}

/**
 * Returns the revision for a version, or undefined if the version is unknown. Unknown versions are not
 * recorded, because a server could invent any number of them.
 */
const revisionOf = ({ protocolVersion }: JsonObject): Revision | undefined =>
  REVISIONS.find(({ version }) => version === protocolVersion)

function openedBy(result: JsonObject, { transport }: ObservedConnection): ServedCall['opened'] {
  const revision = revisionOf(result)?.version
  return revision === undefined ? undefined : { revision, sessionId: transport.sessionId }
}

function failureOf(error: unknown, signal: AbortSignal | undefined): SentFailure {
  if (error instanceof McpError) return { type: `${error.code}`, code: error.code, message: error.message }
  if (error instanceof ClientError) return { type: error.code }
  return { type: signal?.aborted === true ? 'cancelled' : '_OTHER' }
}
