import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHostGuard, isLoopbackAddress } from '@jetway/core/http'
import { classify, ErrorCode, isRequestId, Method, Notification } from '@jetway/core/protocol'
import type { ClientSide, ServedProcess } from '../client-side.ts'
import { WAIT_MS } from '../held-messages.ts'
import type { ListChanges } from '../conversation/lists.ts'
import type { ListKind } from '../conversation/replay.ts'
import { namesRevision } from '../conversation/request-meta.ts'
import { Exchange, type ExchangeRelay, type Posted } from './exchange.ts'
import { ListObserver } from './list-observer.ts'
import { LastingStream, type StreamOptions, type StreamRelay } from './lasting-stream.ts'
import { type Caller, isAccepted } from './open-session.ts'
import { passOn } from './pass-on.ts'
import { endToEnd, HttpProcess, readWhole } from './process-http.ts'
import { resumePost } from './resumed-post.ts'
import { Session, Sessions, withId } from './session.ts'
import { parseEventId } from './sse.ts'

/** The maximum size of a body in bytes, and the maximum numbers of relayed sessions and waiting requests. */
const MAX_BODY = 4 * 1024 * 1024
const MAX_SESSIONS = 256
const MAX_WAITING = 1_024

export interface HttpRelayOptions {
  readonly port: number
  readonly host: string
  readonly print: (text: string) => void
}

type Waiter = (process: HttpProcess | undefined) => void

/**
 * Relays HTTP requests to successive processes, while clients keep their sessions and streams. Requests that
 * are not MCP requests are passed on unchanged.
 */
export class HttpRelay implements ClientSide, ExchangeRelay, StreamRelay {
  readonly #options: HttpRelayOptions
  readonly #guard = createHostGuard({})
  readonly #server: Server
  readonly #sessions = new Sessions(MAX_SESSIONS)
  readonly #processes = new Map<number, HttpProcess>()
  readonly #exchanges = new Set<Exchange>()
  readonly #streams = new Set<LastingStream>()
  readonly #waiters = new Set<Waiter>()
  readonly #observer = new ListObserver((process, changes) => this.changed(process, changes, () => {}))
  #current: HttpProcess | undefined

  constructor(options: HttpRelayOptions) {
    this.#options = options
    this.#server = createServer((request, response) => {
      this.#take(request, response).catch(() => response.destroy())
    })
  }

  /** Starts listening. Resolves to the port. Rejects if the port is in use. */
  async listen(): Promise<number> {
    const { port, host } = this.#options
    this.#server.listen(port, host)
    await once(this.#server, 'listening')
    return (this.#server.address() as AddressInfo).port
  }

  async close(): Promise<void> {
    this.#server.close()
    if (this.#current !== undefined) await this.#current.drained()
    this.#server.closeAllConnections()
  }

  /** Accepts any process that is listening. Sessions are opened in the process on demand. */
  prepare(child: ServedProcess): Promise<void> {
    this.#processes.set(child.generation, new HttpProcess(child))
    return Promise.resolve()
  }

  use(child: ServedProcess): void {
    const process = this.#processes.get(child.generation)
    if (process === undefined) return
    this.#current = process
    const waiters = [...this.#waiters]
    this.#waiters.clear()
    for (const resume of waiters) resume(process)
    for (const stream of this.#streams) void stream.attach(process)
    this.#observer.use(process)
  }

  drained(child: ServedProcess): Promise<void> {
    if (this.#current?.child === child) this.#current = undefined
    return this.#processes.get(child.generation)?.drained() ?? Promise.resolve()
  }

  lost(child: ServedProcess): void {
    const { generation } = child
    if (this.#current?.child === child) this.#current = undefined
    this.#processes.delete(generation)
    for (const session of this.#sessions.all()) {
      session.forget(generation)
      const [stream] = this.#streamsOf(session)
      for (const cancelled of session.questions.lost(generation)) stream?.send(cancelled)
    }
  }

  get full(): boolean {
    return this.#current === undefined && this.#waiters.size >= MAX_WAITING
  }

  process(): Promise<HttpProcess | undefined> {
    if (this.#current !== undefined || this.full) return Promise.resolve(this.#current)
    return new Promise((resolve) => {
      const waiter: Waiter = (process) => {
        clearTimeout(timer)
        resolve(process)
      }
      const timer = setTimeout(() => {
        this.#waiters.delete(waiter)
        resolve(undefined)
      }, WAIT_MS)
      this.#waiters.add(waiter)
    })
  }

  isCurrent(process: HttpProcess): boolean {
    return this.#current === process && !process.child.ended
  }

  opened(id: string, process: HttpProcess, caller: Caller): Session {
    const session = new Session(id, { process, caller }, (...change) => this.#sessionChanged(...change))
    this.#sessions.add(session)
    return session
  }

  closed(session: Session): void {
    this.#sessions.delete(session.id)
  }

  changed({ printed }: HttpProcess, { kinds, lines }: ListChanges, announce: (kind: ListKind) => void): void {
    for (const line of lines) {
      if (!printed.has(line)) this.#options.print(line)
      printed.add(line)
    }
    for (const kind of kinds) announce(kind)
  }

  #sessionChanged(session: Session, process: HttpProcess, changes: ListChanges): void {
    this.changed(process, changes, (kind) => {
      if (!session.replay.promises(kind)) return
      const [stream] = this.#streamsOf(session)
      if (stream === undefined) session.owed.add(kind)
      else stream.announce(kind)
    })
  }

  #streamsOf(session: Session): readonly LastingStream[] {
    return [...this.#streams].filter((stream) => stream.session === session && stream.open)
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, headers, socket } = request
    const fault = this.#fault(headers.host, headers.origin, socket.localAddress)
    if (fault !== undefined) return refuse(response, 403, fault)
    const caller: Caller = { path: request.url ?? '/', headers }
    const id = headers['mcp-session-id']
    const session = typeof id === 'string' ? await this.#sessionOf(id, caller) : undefined
    if (method === 'POST' && headers['content-type']?.startsWith('application/json') === true)
      return this.#post(request, response, { caller, session })
    if (session !== undefined && method === 'GET') return this.#get(response, caller, session)
    if (session !== undefined && method === 'DELETE') return this.#delete(response, caller, session)
    const process = await this.process()
    if (process === undefined) return refuse(response, 503, 'The server is not running')
    return passOn(process, request, response)
  }

  /**
   * Returns the session if it belongs to the caller. Another caller's request is passed to the process
   * unchanged. Otherwise, a new process would open the session for whoever asks first.
   */
  async #sessionOf(id: string, caller: Caller): Promise<Session | undefined> {
    const session = this.#sessions.get(id)
    if (session === undefined || session.isOf(caller)) return session
    // The client may have a new token. Only a process that has the session can validate it.
    const process = this.#current
    if (process === undefined) return undefined
    const { generation } = process
    const known = await session.knownOn(generation)
    const accepted =
      typeof known === 'string'
        ? await isAccepted(process, withId(caller, known))
        : session.needsCredentials(generation)
    if (!accepted) return undefined
    session.takeOver(caller)
    return session
  }

  #fault(
    host: string | undefined,
    origin: string | undefined,
    address: string | undefined,
  ): string | undefined {
    const local = address === undefined ? undefined : isLoopbackAddress(address)
    if (!this.#guard.host(host, local)) return 'The Host header is not one of this machine'
    if (origin !== undefined && !this.#guard.origin(origin))
      return 'The Origin header is not one of this machine'
    return undefined
  }

  async #post(
    request: IncomingMessage,
    response: ServerResponse,
    { caller, session }: Pick<Posted, 'caller' | 'session'>,
  ): Promise<void> {
    const text = await readWhole(request, MAX_BODY)
    if (text === undefined) return refuse(response, 413, `The body is larger than ${MAX_BODY} bytes`)
    const value = parse(text)
    const incoming = classify(value)
    if (incoming.kind === 'request' && incoming.message.method === Method.Listen)
      return this.#listen(response, { caller, listen: { request: incoming.message, text } })
    const exchange = new Exchange(this, { response, caller, session, text, value })
    this.#exchanges.add(exchange)
    try {
      await exchange.run(session && this.#addressee(session, value))
    } finally {
      this.#exchanges.delete(exchange)
    }
    if (incoming.kind !== 'request' || !namesRevision(incoming.message.params)) return
    if (this.#current !== undefined) this.#observer.saw(this.#current, caller, incoming.message.params)
  }

  /** Returns the older process whose question a message answers, or whose call it cancels. */
  #addressee(session: Session, value: unknown): HttpProcess | undefined {
    const incoming = classify(value)
    if (incoming.kind === 'response' && incoming.message.id !== undefined)
      return this.#processes.get(session.questions.generationOf(incoming.message.id) ?? 0)
    if (incoming.kind !== 'notification' || incoming.message.method !== Notification.Cancelled)
      return undefined
    const id = incoming.message.params?.['requestId']
    if (!isRequestId(id)) return undefined
    return [...this.#exchanges].find((exchange) => exchange.waitsFor(JSON.stringify(id), session))?.process
  }

  async #listen(response: ServerResponse, options: Pick<StreamOptions, 'caller' | 'listen'>): Promise<void> {
    const process = await this.process()
    if (process === undefined) return refuse(response, 503, 'The server is not running')
    await this.#openStream(new LastingStream(this, { response, ...options }), response, process)
  }

  async #get(response: ServerResponse, caller: Caller, session: Session): Promise<void> {
    const process = await this.process()
    if (process === undefined) return refuse(response, 503, 'The server is not running')
    const last = parseEventId(caller.headers['last-event-id']?.toString())
    if (last?.kind === 'post') {
      const source = this.#processes.get(last.generation)
      return resumePost({ relay: this, response, caller, session, last, process: source })
    }
    const lastEventId = last?.generation === process.generation ? last.id : undefined
    session.streams++
    response.once('close', () => session.streams--)
    await this.#openStream(
      new LastingStream(this, { response, caller, session }),
      response,
      process,
      lastEventId,
    )
  }

  async #openStream(
    stream: LastingStream,
    response: ServerResponse,
    process: HttpProcess,
    lastEventId?: string,
  ): Promise<void> {
    this.#streams.add(stream)
    response.once('close', () => this.#streams.delete(stream))
    await stream.attach(process, lastEventId)
  }

  async #delete(response: ServerResponse, caller: Caller, session: Session): Promise<void> {
    const process = await this.process()
    const id = process && (await session.knownOn(process.generation))
    this.#sessions.delete(session.id)
    if (process === undefined || typeof id !== 'string') {
      response.writeHead(204).end()
      return
    }
    const reply = await process.send({
      method: 'DELETE',
      path: caller.path,
      headers: { ...caller.headers, 'mcp-session-id': id },
    })
    response.writeHead(reply.statusCode ?? 502, endToEnd(reply.headers))
    reply.pipe(response)
  }
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: ErrorCode.InvalidRequest, message } })
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(body)
}

function parse(text: Buffer): unknown {
  try {
    return JSON.parse(text.toString())
  } catch {
    return undefined
  }
}
