import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  classify,
  isObject,
  type JsonObject,
  type JsonRpcNotification,
  type JsonRpcRequest,
  Notification,
  SUBSCRIPTION_ID,
} from '@jetway/core/protocol'
import { compareLists, type ListChanges, type Lists, ProcessEnded } from '../conversation/lists.ts'
import type { ListKind } from '../conversation/replay.ts'
import { identityOf } from '../conversation/request-meta.ts'
import { passText } from './exchange.ts'
import { type Caller, type Refusal, sessionLists } from './open-session.ts'
import { endToEnd, type HttpProcess } from './process-http.ts'
import { type Session, withId } from './session.ts'
import { eventsOf, publicEventId, SseOutput } from './sse.ts'

/** A `subscriptions/listen` request. */
interface Listen {
  readonly request: JsonRpcRequest
  readonly text: Buffer
}

/** The part of the relay that a stream needs. */
export interface StreamRelay {
  isCurrent(process: HttpProcess): boolean
  changed(process: HttpProcess, changes: ListChanges, announce: (kind: ListKind) => void): void
}

export interface StreamOptions {
  readonly response: ServerResponse
  readonly caller: Caller
  /** The session of a GET stream. */
  readonly session?: Session
  readonly listen?: Listen
}

/** A stream of notifications that stays open for the client when the process is replaced. */
export class LastingStream {
  readonly session: Session | undefined
  readonly #relay: StreamRelay
  readonly #options: StreamOptions
  #output: SseOutput | undefined
  #upstream: AbortController | undefined
  /** The generation of the last process that the relay asked for a stream. */
  #wanted = 0
  #agreed: JsonObject | undefined
  #lists: Promise<Lists> | undefined
  #outdated = false
  #closed = false

  constructor(relay: StreamRelay, options: StreamOptions) {
    this.#relay = relay
    this.#options = options
    this.session = options.session
    options.response.once('close', () => {
      this.#closed = true
      this.#upstream?.abort()
    })
  }

  /** Whether the head of the reply has been sent. */
  get open(): boolean {
    return this.#output !== undefined && !this.#closed
  }

  /** Connects to a process's stream. If the process exits, the stream waits for the next process. */
  async attach(process: HttpProcess, lastEventId?: string): Promise<void> {
    this.#wanted = process.generation
    const upstream = new AbortController()
    try {
      const caller = await this.#callerFor(process)
      if (!('path' in caller)) return this.#refuse(caller)
      const reply = await process.send({ ...this.#requestFor(caller, lastEventId), signal: upstream.signal })
      if (this.#closed || this.#wanted !== process.generation) return upstream.abort()
      if (!isStream(reply)) return this.#notStream(reply)
      this.#upstream?.abort()
      this.#upstream = upstream
      this.#output ??= this.#open(reply)
      void this.#follow(reply, process, caller)
    } catch (error) {
      if (!(error instanceof ProcessEnded)) throw error
    }
  }

  /** Notifies the client that a list has changed. */
  announce(kind: ListKind): void {
    const { listen } = this.#options
    if (listen !== undefined && this.#agreed?.[`${kind}ListChanged`] !== true) return
    const params = listen === undefined ? {} : { params: { _meta: { [SUBSCRIPTION_ID]: listen.request.id } } }
    this.send({ jsonrpc: '2.0', method: `notifications/${kind}/list_changed`, ...params })
  }

  /** Sends a message from the relay itself. */
  send(message: JsonRpcNotification): void {
    void this.#output?.message(message)
  }

  async #callerFor(process: HttpProcess): Promise<Caller | Refusal> {
    const { caller, session } = this.#options
    if (session === undefined) return caller
    const id = await session.idOn(process, caller)
    return typeof id === 'string' ? withId(caller, id) : id
  }

  #requestFor({ path, headers }: Caller, lastEventId: string | undefined) {
    const { listen } = this.#options
    if (listen !== undefined) return { method: 'POST', path, headers, body: listen.text }
    const { 'last-event-id': _last, ...rest } = headers
    const resumed = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
    return { method: 'GET', path, headers: { ...rest, ...resumed } }
  }

  #open(reply: IncomingMessage): SseOutput {
    const { response, session } = this.#options
    const { 'content-length': _length, ...headers } = endToEnd(reply.headers)
    if ('mcp-session-id' in headers && session !== undefined) headers['mcp-session-id'] = session.id
    response.writeHead(200, headers)
    return new SseOutput(response)
  }

  async #follow(reply: IncomingMessage, process: HttpProcess, caller: Caller): Promise<void> {
    const output = this.#output as SseOutput
    const { generation } = process
    for (const kind of this.session?.owed ?? []) this.announce(kind)
    this.session?.owed.clear()
    for await (const event of eventsOf(reply)) {
      const data = event.data === '' ? '' : this.#pass(event.data, process, caller)
      if (data === undefined) continue
      const id =
        event.id === undefined ? {} : { id: publicEventId({ generation, kind: 'get', id: event.id }) }
      await output.write({ ...event, ...id, data })
    }
    // Only a process that keeps running may end the stream.
    if (reply.complete && this.#relay.isCurrent(process)) output.end()
  }

  /**
   * Converts the data of an event to the form that the client expects. Returns undefined if the client must not
   * receive it.
   */
  #pass(data: string, process: HttpProcess, caller: Caller): string | undefined {
    let value: unknown
    try {
      value = JSON.parse(data)
    } catch {
      return data
    }
    const incoming = classify(value)
    if (incoming.kind === 'response' && this.#options.listen !== undefined)
      return this.#relay.isCurrent(process) ? data : undefined
    if (incoming.kind === 'notification') {
      const { method, params = {} } = incoming.message
      if (method.endsWith('/list_changed')) this.#outdated = true
      if (method === Notification.Acknowledged)
        return this.#acknowledged(params, process, caller) ? data : undefined
    }
    return passText(data, { process, session: this.session, waiting: new Map() })?.toString()
  }

  /**
   * Returns whether to pass on the acknowledgement. The client receives only the one from the first process.
   */
  #acknowledged({ notifications }: JsonObject, process: HttpProcess, caller: Caller): boolean {
    const isFirst = this.#agreed === undefined
    this.#agreed ??= isObject(notifications) ? notifications : {}
    const lists = sessionLists(process, caller, { _meta: identityOf(this.#options.listen?.request.params) })
    this.#lists = this.#lists === undefined ? lists : this.#compare(this.#lists, lists, process)
    this.#lists.catch(() => {})
    return isFirst
  }

  async #compare(old: Promise<Lists>, now: Promise<Lists>, process: HttpProcess): Promise<Lists> {
    const outdated = this.#outdated
    this.#outdated = false
    // Both lists are awaited together, because the new process may exit before the old lists have arrived.
    const [before, after] = await Promise.all([old.catch((): Lists => new Map()), now.catch(() => undefined)])
    if (after === undefined) return before
    const { kinds, lines } = compareLists(before, after)
    const all: ReadonlySet<ListKind> = outdated ? new Set(['tools', 'resources', 'prompts']) : kinds
    this.#relay.changed(process, { kinds: all, lines }, (kind) => this.announce(kind))
    return after
  }

  /** Passes on the process's refusal, or ends the stream if it has already begun. */
  #notStream(reply: IncomingMessage): void {
    const { response } = this.#options
    if (this.#output !== undefined) {
      reply.resume()
      return this.#output.end()
    }
    response.writeHead(reply.statusCode ?? 502, endToEnd(reply.headers))
    reply.pipe(response)
  }

  #refuse({ status, headers, body }: Refusal): void {
    if (this.#output === undefined) this.#options.response.writeHead(status, headers).end(body)
    else this.#output.end()
  }
}

export const isStream = ({ statusCode, headers }: IncomingMessage): boolean =>
  statusCode === 200 && headers['content-type']?.startsWith('text/event-stream') === true
