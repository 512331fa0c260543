import { type JsonRpcMessage, Method, type RequestId, type Revision } from '@jetway/core/protocol'
import { SessionLostError, TransportError } from '../errors.ts'
import type { ClientTransport, ClientTransportHandlers, SendContext } from '../transport/client-transport.ts'
import { type HttpOptions, type ResolvedHttpOptions, resolveHttpOptions } from './options.ts'
import { discard, fetchHttp, mediaType, readRefusal, readText, SSE, statusError } from './requests.ts'
import { deliver, delay, readEvents, retryDelay, type StreamPosition } from './streams.ts'

const BOTH = { accept: `application/json, ${SSE}`, 'content-type': 'application/json' }
/** How long a stream may stay open after its answer, in ms. Ending it earlier would cost a connection that can be used again. */
const LINGER_MS = 1_000

/** A message that was sent, and in which session. */
interface Sent {
  readonly message: JsonRpcMessage
  readonly request: RequestId | undefined
  readonly session: string | undefined
}

/**
 * Streamable HTTP, of every revision that has it. Every message is a POST. In revisions with sessions it keeps the
 * session, listens on a GET stream, and goes on with streams that were cut; without, the end of a stream is the end of
 * its request.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
export class StreamableHttpTransport implements ClientTransport {
  readonly perRequest = true
  readonly key: string
  readonly #options: ResolvedHttpOptions
  /** Everything that is open: aborted when the transport closes. */
  readonly #open = new Set<AbortController>()
  readonly #running = new Set<Promise<void>>()
  #handlers: ClientTransportHandlers | undefined
  #session: string | undefined
  #revision: Revision | undefined
  #listening: AbortController | undefined
  #closing: Promise<void> | undefined

  /** @throws TypeError for what is no URL of http or https */
  constructor(url: string | URL, options: HttpOptions = {}) {
    this.#options = resolveHttpOptions(url, options)
    this.key = this.#options.url
  }

  /** The session that the server has opened, if it has. */
  get sessionId(): string | undefined {
    return this.#session
  }

  resume(sessionId: string): void {
    this.#session = sessionId
  }

  get alive(): boolean {
    return this.#closing === undefined
  }

  start(handlers: ClientTransportHandlers): void {
    if (this.#handlers !== undefined) throw new TypeError('The transport has been started already')
    this.#handlers = handlers
  }

  agreed(revision: Revision): void {
    this.#revision = revision
    this.#listening?.abort()
    if (revision.era === 'legacy' && this.#closing === undefined) this.#track(this.#listen())
  }

  async send(message: JsonRpcMessage, context: SendContext): Promise<void> {
    if (this.#closing !== undefined) throw new TransportError('The transport is closed')
    const request = 'method' in message && 'id' in message ? message.id : undefined
    const open = this.#opened(context.signal)
    const session = this.#session
    try {
      const response = await this.#fetch('POST', open.signal, {
        body: JSON.stringify(message),
        headers: { ...BOTH, ...context.headers, ...this.#identity(context.revision) },
      })
      if (!response.ok) return await this.#refused(response, { message, request, session })
      if (isInitialize(message)) this.#session = response.headers.get('mcp-session-id') ?? undefined
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
    this.#listening?.abort()
    await this.#endSession()
    for (const open of this.#open) open.abort(new TransportError('The transport is closed'))
    await Promise.all(this.#running)
    this.#handlers?.close({ kind: 'end' })
  }

  /** A server may not have an end of sessions, or be gone: neither is a reason to stay. */
  async #endSession(): Promise<void> {
    if (this.#session === undefined || !this.#options.endSession) return
    const signal = AbortSignal.timeout(this.#options.closeTimeoutMs)
    try {
      await discard(await this.#fetch('DELETE', signal, { headers: this.#identity(this.#revision) }))
    } catch {
      // The session ends by itself in time.
    }
    this.#session = undefined
  }

  /** The answer that came as the reply itself. */
  async #answered(response: Response, request: RequestId): Promise<void> {
    const type = mediaType(response)
    if (type !== 'application/json') {
      await discard(response)
      throw new TransportError(
        response.status === 202
          ? 'The server has accepted a request as if it were a notification'
          : `The server answered a request with ${type === '' ? 'no type of content' : type}`,
        { status: response.status },
      )
    }
    const text = await readText(response, this.#options.maxMessageBytes)
    const { taken } = deliver(text, this.#reading(request))
    await taken
  }

  /** An error of the protocol is a message, whatever status it came with; any other is the transport's. */
  async #refused(response: Response, { message, request, session }: Sent): Promise<void> {
    const { status } = response
    const text = await readRefusal(response)
    // https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
    if (status === 404 && session !== undefined) {
      this.#lost(session)
      throw new SessionLostError()
    }
    if (request !== undefined && !isOfHttp(status, message) && isErrorMessage(response, text)) {
      await deliver(text, this.#reading(request)).taken
      return
    }
    throw statusError(status, 'method' in message ? message.method : 'An answer', text)
  }

  /** Reads the stream of one request to its answer, over as many connections as that takes. */
  async #follow(
    body: ReadableStream<Uint8Array>,
    request: RequestId,
    revision: Revision | undefined,
    open: AbortController,
  ): Promise<void> {
    const { signal } = open
    const position: StreamPosition = {}
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
      if (!signal.aborted) this.#handlers?.ended(request, error as Error)
    } finally {
      clearTimeout(linger)
      this.#open.delete(open)
    }
  }

  /** @throws TransportError where the answer cannot come any more */
  async #read(
    body: ReadableStream<Uint8Array>,
    reading: Parameters<typeof readEvents>[1],
    revision: Revision | undefined,
  ): Promise<boolean> {
    let cut: unknown
    const answered = await readEvents(body, reading).catch((error: unknown) => {
      cut = error
      return false
    })
    if (answered || reading.signal.aborted) return answered
    if (revision?.era === 'modern' || reading.position.lastEventId === undefined)
      throw new TransportError('The stream ended before the answer', { cause: cut })
    return false
  }

  /** A server that is away, or restarts, is asked again; how long is for the call's own time to say. */
  async #resume(
    position: StreamPosition,
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array> | undefined> {
    for (let failures = 0; ; failures++) {
      await delay(retryDelay(this.#options, position, failures), signal)
      if (signal.aborted) return undefined
      const session = this.#session
      const response = await this.#get(position, signal).catch(() => undefined)
      if (response === undefined || response.status >= 500) continue
      if (response.ok && mediaType(response) === SSE && response.body !== null) return response.body
      await discard(response)
      if (response.status === 404 && session !== undefined) {
        this.#lost(session)
        throw new TransportError('The server has lost the session, and the answer with it', { status: 404 })
      }
      throw statusError(response.status, 'Going on with a stream', '')
    }
  }

  /** Listens for what belongs to no request, for as long as the server has such a stream. */
  async #listen(): Promise<void> {
    const open = this.#opened(undefined)
    this.#listening = open
    const { signal } = open
    const position: StreamPosition = {}
    for (let failures = 0; !signal.aborted; failures++) {
      const response = await this.#get(position, signal).catch(() => undefined)
      if (response?.ok === true && mediaType(response) === SSE && response.body !== null) {
        failures = 0
        await readEvents(response.body, { ...this.#reading(), signal, position }).catch(() => {})
      } else if (response !== undefined) {
        await discard(response)
        if (response.status < 500 && response.status !== 429) {
          // What happened meanwhile is lost; what happens from now on need not be.
          if (position.lastEventId === undefined) break
          delete position.lastEventId
        }
      }
      await delay(retryDelay(this.#options, position, failures), signal)
    }
    this.#open.delete(open)
  }

  /** Others may have found out before, and opened a new one. */
  #lost(session: string): void {
    if (this.#session !== session) return
    this.#session = undefined
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

  /** What every request after the first repeats. */
  #identity(revision: Revision | undefined): Readonly<Record<string, string>> {
    return {
      ...(this.#session !== undefined && { 'mcp-session-id': this.#session }),
      ...(revision !== undefined && { 'mcp-protocol-version': revision.version }),
    }
  }

  #reading(request?: RequestId): {
    readonly options: ResolvedHttpOptions
    readonly handlers: ClientTransportHandlers
    readonly request?: RequestId
  } {
    if (this.#handlers === undefined) throw new TypeError('The transport has not been started')
    return { options: this.#options, handlers: this.#handlers, ...(request !== undefined && { request }) }
  }

  /** Something that is open until it is deleted, aborted when the transport closes or the signal says so. */
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

const isInitialize = (message: JsonRpcMessage): boolean =>
  'method' in message && message.method === Method.Initialize

/** Whether a status says all, whatever stands in the body: who may ask, or that nobody here takes messages. */
const isOfHttp = (status: number, message: JsonRpcMessage): boolean =>
  status === 401 || status === 403 || (isInitialize(message) && (status === 404 || status === 405))

/** An error of the protocol, and not a page of whatever stands before the server. */
function isErrorMessage(response: Response, text: string): boolean {
  if (mediaType(response) !== 'application/json') return false
  try {
    const value = JSON.parse(text) as { readonly jsonrpc?: unknown; readonly error?: unknown } | null
    return value?.jsonrpc === '2.0' && typeof value.error === 'object'
  } catch {
    return false
  }
}
