import { type JsonRpcMessage, Method, type RequestId, type Revision } from '@jetway/core/protocol'
import type { ServerNetwork } from '@jetway/core/telemetry'
import { ClientError, SessionLostError, TransportError } from '../errors.ts'
import type { ClientTransport, ClientTransportHandlers, SendContext } from '../transport/client-transport.ts'
import type { ResolvedHttpOptions } from './options.ts'
import { discard, fetchHttp, mediaType, readRefusal, readText, SSE, statusError } from './fetch.ts'
import {
  deliver,
  nextDelay,
  readEvents,
  type Reading,
  type StreamPosition,
  type StreamReading,
  wait,
} from './streams.ts'

const BOTH = { accept: `application/json, ${SSE}`, 'content-type': 'application/json' }
/**
 * How long a stream may stay open after the response, in ms. The server can end it in this time, so that the
 * connection can be reused.
 */
const LINGER_MS = 1_000
/** How long to wait for the server to end the GET stream of a deleted session, in ms. */
const STREAM_END_MS = 250

/**
 * Streamable HTTP for all revisions. Each message is sent in a POST request. In revisions with sessions, the
 * transport keeps the session, reads the GET stream, and resumes interrupted streams. In revisions without
 * sessions, a request ends with its stream.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
export class StreamableHttpTransport implements ClientTransport {
  readonly streamPerRequest = true
  readonly key: string
  readonly network: ServerNetwork
  sessionId: string | undefined
  readonly #options: ResolvedHttpOptions
  /** The controllers of running requests. They are aborted when the transport closes. */
  readonly #open = new Set<AbortController>()
  readonly #running = new Set<Promise<void>>()
  #handlers: ClientTransportHandlers | undefined
  #revision: Revision | undefined
  #listening: AbortController | undefined
  #listened: Promise<void> | undefined
  #closing: Promise<void> | undefined

  constructor(options: ResolvedHttpOptions) {
    this.#options = options
    this.key = options.url
    this.network = options.network
  }

  resume(sessionId: string): void {
    this.sessionId = sessionId
  }

  get alive(): boolean {
    return this.#closing === undefined
  }

  start(handlers: ClientTransportHandlers): void {
    if (this.#handlers !== undefined) throw new TypeError('The transport is already started')
    this.#handlers = handlers
  }

  negotiated(revision: Revision): void {
    this.#revision = revision
    this.#listening?.abort()
    if (revision.era === 'legacy' && this.#closing === undefined)
      this.#track((this.#listened = this.#listen()))
  }

  async send(message: JsonRpcMessage, context: SendContext): Promise<void> {
    if (this.#closing !== undefined) throw new TransportError('The transport is closed')
    const request = requestIdOf(message)
    const open = this.#opened(context.signal)
    const session = this.sessionId
    try {
      const response = await this.#fetch('POST', open.signal, {
        body: JSON.stringify(message),
        headers: { ...BOTH, ...context.headers, ...this.#identity(context.revision) },
      })
      if (!response.ok) return await this.#refused(response, message, session)
      if (isInitialize(message)) this.sessionId = response.headers.get('mcp-session-id') ?? undefined
      if (request === undefined) return await discard(response)
      if (mediaType(response) === SSE && response.body !== null)
        return this.#track(
          this.#follow(response.body, request, context.revision, this.#opened(context.signal)),
        )
      await this.#answered(response, request)
    } finally {
      this.#open.delete(open)
    }
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    // The server ends the stream together with the session. If the client aborted the fetch instead, Node.js would
    // open an unused connection, for which the server would wait when it closes.
    const ended = await this.#endSession()
    if (ended && this.#listening !== undefined)
      await Promise.race([this.#listened, wait(STREAM_END_MS, this.#listening.signal)])
    this.#listening?.abort()
    for (const open of this.#open) open.abort(new TransportError('The transport is closed'))
    await Promise.all(this.#running)
    this.#handlers?.close({ kind: 'end' })
  }

  /**
   * Sends DELETE. Resolves to whether the server has ended the session. A failure must not prevent the
   * transport from closing.
   */
  async #endSession(): Promise<boolean> {
    if (this.sessionId === undefined || !this.#options.endSession) return false
    const signal = AbortSignal.timeout(this.#options.closeTimeoutMs)
    try {
      const response = await this.#fetch('DELETE', signal, { headers: this.#identity(this.#revision) })
      await discard(response)
      return response.ok
    } catch {
      // The session will expire on the server.
      return false
    } finally {
      this.sessionId = undefined
    }
  }

  async #answered(response: Response, request: RequestId): Promise<void> {
    const type = mediaType(response)
    if (type !== 'application/json') {
      await discard(response)
      throw new TransportError(
        response.status === 202
          ? 'The server answered a request with 202, as if it were a notification'
          : `The server answered a request with ${type === '' ? 'no content type' : `the content type ${type}`}`,
        { status: response.status },
      )
    }
    await this.#deliver(await readText(response, this.#options.maxMessageBytes), request)
  }

  /**
   * Delivers a complete reply. If the reply does not contain the response to the request, fails the request
   * immediately.
   */
  async #deliver(text: string, request: RequestId): Promise<void> {
    await deliver(text, this.#reading(request)).taken
    this.#handlers?.requestFailed(
      request,
      new ClientError('invalid-response', 'The reply has no response to the request'),
    )
  }

  /** Handles an HTTP error. A JSON-RPC error in its body is delivered as a message. */
  async #refused(response: Response, message: JsonRpcMessage, session: string | undefined): Promise<void> {
    const { status } = response
    const request = requestIdOf(message)
    const text = await readRefusal(response)
    // https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
    if (status === 404 && session !== undefined) {
      this.#lost(session)
      throw new SessionLostError()
    }
    if (request !== undefined && !isOfHttp(status, message) && isErrorMessage(response, text))
      return await this.#deliver(text, request)
    throw statusError(status, 'method' in message ? message.method : 'A response', text)
  }

  /** Reads a request's stream until the response arrives, over several connections if necessary. */
  async #follow(
    body: ReadableStream<Uint8Array>,
    request: RequestId,
    revision: Revision | undefined,
    open: AbortController,
  ): Promise<void> {
    const { signal } = open
    const position: StreamPosition = { failures: 0 }
    let linger: ReturnType<typeof setTimeout> | undefined
    const onAnswered = (): void => {
      linger = setTimeout(() => open.abort(), LINGER_MS)
    }
    const reading = { ...this.#reading(request), signal, position, onAnswered }
    try {
      let next: ReadableStream<Uint8Array> | undefined = body
      while (next !== undefined && !(await this.#read(next, reading, revision)))
        next = signal.aborted ? undefined : await this.#resume(position, signal)
    } catch (error) {
      if (!signal.aborted) this.#handlers?.requestFailed(request, error as Error)
    } finally {
      clearTimeout(linger)
      this.#open.delete(open)
    }
  }

  /** Reads one connection of a stream. @throws TransportError if the response can no longer arrive */
  async #read(body: ReadableStream<Uint8Array>, reading: StreamReading, revision?: Revision) {
    let cut: unknown
    const answered = await readEvents(body, reading).catch((error: unknown) => {
      cut = error
      return false
    })
    if (answered || reading.signal.aborted) return answered
    if (revision?.era === 'modern' || reading.position.lastEventId === undefined)
      throw new TransportError('The stream ended before the response', { cause: cut })
    return false
  }

  /** Reopens a stream. Retries until the request times out, because the server may be restarting. */
  async #resume(position: StreamPosition, signal: AbortSignal) {
    for (;;) {
      await wait(nextDelay(this.#options, position), signal)
      if (signal.aborted) return undefined
      const session = this.sessionId
      const response = await this.#get(position, signal).catch(() => undefined)
      if (response === undefined) continue
      if (response.ok && mediaType(response) === SSE && response.body !== null) return response.body
      await discard(response)
      if (response.status >= 500 || response.status === 429) continue
      if (response.status === 404 && session !== undefined) {
        this.#lost(session)
        throw new TransportError('The server has lost the session, and the response with it', { status: 404 })
      }
      throw statusError(response.status, 'Resuming a stream', '')
    }
  }

  async #listen(): Promise<void> {
    const open = this.#opened(undefined)
    this.#listening = open
    const { signal } = open
    const position: StreamPosition = { failures: 0 }
    while (!signal.aborted) {
      const response = await this.#get(position, signal).catch(() => undefined)
      if (response?.ok === true && mediaType(response) === SSE && response.body !== null) {
        await readEvents(response.body, { ...this.#reading(), signal, position }).catch(() => {})
        if (this.#closing !== undefined) break
      } else if (response !== undefined) {
        await discard(response)
        if (response.status < 500 && response.status !== 429) {
          // The server does not know the event id, so the missed messages are lost. The client starts a new
          // stream.
          if (position.lastEventId === undefined) break
          delete position.lastEventId
        }
      }
      await wait(nextDelay(this.#options, position), signal)
    }
    this.#open.delete(open)
  }

  /** Forgets a lost session, unless another request has already opened a new session. */
  #lost(session: string): void {
    if (this.sessionId !== session) return
    this.sessionId = undefined
    this.#listening?.abort()
  }

  #get({ lastEventId }: StreamPosition, signal: AbortSignal): Promise<Response> {
    return this.#fetch('GET', signal, {
      headers: {
        accept: SSE,
        ...this.#identity(this.#revision),
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      },
    })
  }

  #fetch(
    method: 'GET' | 'POST' | 'DELETE',
    signal: AbortSignal,
    rest: { readonly headers: Readonly<Record<string, string>>; readonly body?: string },
  ): Promise<Response> {
    return fetchHttp(this.#options, { url: this.#options.url, method, signal, ...rest })
  }

  #identity(revision: Revision | undefined): Readonly<Record<string, string>> {
    return {
      ...(this.sessionId !== undefined && { 'mcp-session-id': this.sessionId }),
      ...(revision !== undefined && { 'mcp-protocol-version': revision.version }),
    }
  }

  #reading(request?: RequestId): Reading {
    if (this.#handlers === undefined) throw new TypeError('The transport is not started')
    return { options: this.#options, handlers: this.#handlers, request }
  }

  /** Returns a controller that aborts with the signal, or when the transport closes. */
  #opened(signal: AbortSignal | undefined): AbortController {
    const open = new AbortController()
    this.#open.add(open)
    if (signal?.aborted === true) open.abort(signal.reason)
    else signal?.addEventListener('abort', () => open.abort(signal.reason), { once: true })
    return open
  }

  #track(running: Promise<void>): void {
    this.#running.add(running)
    void running.finally(() => this.#running.delete(running))
  }
}

export const isInitialize = (message: JsonRpcMessage): boolean =>
  'method' in message && message.method === Method.Initialize

const requestIdOf = (message: JsonRpcMessage): RequestId | undefined =>
  'method' in message && 'id' in message ? message.id : undefined

/** Returns whether a status concerns the caller or the URL. If so, a JSON-RPC body is ignored. */
const isOfHttp = (status: number, message: JsonRpcMessage): boolean =>
  status === 401 || status === 403 || (isInitialize(message) && (status === 404 || status === 405))

/** Returns whether a body is the server's JSON-RPC error rather than a proxy's error page. */
function isErrorMessage(response: Response, text: string): boolean {
  if (mediaType(response) !== 'application/json') return false
  try {
    const value = JSON.parse(text) as { readonly jsonrpc?: unknown; readonly error?: unknown } | null
    return value?.jsonrpc === '2.0' && typeof value.error === 'object'
  } catch {
    return false
  }
}
