import { busy, invalidRequest } from '../errors.ts'
import { readBatch } from '../protocol/batch.ts'
import {
  classify,
  errorFrame,
  type Incoming,
  isRequestId,
  type JsonRpcErrorObject,
  type JsonRpcNotification,
  type JsonRpcRequest,
  parseError,
  type RequestId,
  resultFrame,
} from '../protocol/jsonrpc.ts'
import { Method, Notification } from '../protocol/methods.ts'
import { type ParseLimits, parseText } from '../protocol/parse.ts'
import { ofEra } from '../protocol/revisions/index.ts'
import { namesVersion } from '../protocol/revisions/request-meta.ts'
import type { Revision } from '../protocol/revisions/revision.ts'
import { type Selection, selectRevision } from '../protocol/revisions/select.ts'
import type { EncodedResponse } from '../call/response.ts'
import { BatchResponses } from '../call/response-limit.ts'
import type { Drainable } from '../session/drainable.ts'
import type { ServerRuntime } from '../session/server-runtime.ts'
import type { Session } from '../session/session.ts'
import { Outstanding } from '../util/outstanding.ts'
import type { PerRequestEra } from './per-request-era.ts'
import type { SessionEra } from './session-era.ts'

type Refused = Extract<Selection, { readonly kind: 'refuse' }>
type Served = Extract<Selection, { readonly kind: 'serve' }>

/** Sends the response to one message; undefined for a cancelled call, which has none. */
type Reply = (frame: string | undefined) => void | Promise<void>

/** The parts of a connection that its messages need. */
export interface MessageRouterOptions {
  readonly runtime: ServerRuntime
  readonly parseLimits: ParseLimits
  readonly served: readonly Revision[]
  readonly sessionEra: SessionEra
  readonly perRequest: PerRequestEra
  readonly work: Drainable
  readonly write: Reply
  readonly onRefused: (reason: string) => void
  /** A response could not be written. */
  readonly onBroken: (error: unknown) => void
}

/** Takes the messages of a client: chooses the era of each, and sends its response. */
export class MessageRouter {
  readonly #options: MessageRouterOptions
  readonly #unanswered: Outstanding
  /** Set while the session opens. Messages wait for it. */
  #opening: Promise<void> | undefined

  constructor(options: MessageRouterOptions) {
    this.#options = options
    this.#unanswered = new Outstanding(options.runtime.clock)
  }

  get #session(): Session | undefined {
    return this.#options.sessionEra.session
  }

  malformed(reason: string): void {
    void this.#refuse('parseError', undefined, parseError(reason))
  }

  /** Resolves when every call is answered, or after 1 s. */
  flushed(): Promise<void> {
    return this.#unanswered.flushed()
  }

  /** Takes one message. A promise stops the reading, not the response. */
  take(text: string): void | Promise<void> {
    const parsed = parseText(text, this.#options.parseLimits)
    if (!parsed.ok) return this.#refuse('parseError', undefined, parsed.error)
    if (this.#opening !== undefined) return this.#opening.then(() => this.#accept(parsed.value))
    return this.#accept(parsed.value)
  }

  #accept(value: unknown): void | Promise<void> {
    return Array.isArray(value) ? this.#batch(value) : this.#route(classify(value), this.#options.write)
  }

  #route(incoming: Incoming, reply: Reply): void | Promise<void> {
    switch (incoming.kind) {
      case 'invalid':
        return this.#refuse('invalidMessage', incoming.id, invalidRequest(incoming.reason), reply)
      case 'response':
        if (this.#session?.response(incoming.message) !== true) this.#options.onRefused('unmatchedResponse')
        return
      case 'notification':
        return this.#notification(incoming.message)
      case 'request':
        return this.#request(incoming.message, reply)
    }
  }

  #request(message: JsonRpcRequest, reply: Reply): void | Promise<void> {
    if (this.#options.work.closing) return this.#refuse('draining', message.id, busy(), reply)
    const session = this.#session
    const selection = selectRevision({
      message,
      session: session?.revision,
      served: this.#options.served,
      stateless: false,
    })
    if (selection.kind === 'initialize') return this.#initialize(message)
    if (selection.kind === 'refuse') {
      if (!mayPing(message, selection)) this.#options.onRefused(selection.reason)
      return reply(refusal(message, selection))
    }
    if (selection.meta !== undefined) return this.#callPerRequest(message, selection, reply)
    this.#begin()
    const response = this.#options.sessionEra.call(message)
    if (!(response instanceof Promise)) return this.#answer(response, reply)
    this.#follow(message, response, (settled) => this.#answer(settled, reply))
    return session?.capacity()
  }

  #callPerRequest(message: JsonRpcRequest, selection: Served, reply: Reply): void | Promise<void> {
    this.#begin()
    const run = (): EncodedResponse | Promise<EncodedResponse> =>
      this.#options.perRequest.call(message, selection)
    const ready = this.#options.runtime.ready()
    const response = ready === undefined ? run() : ready.then(run)
    const answer = (settled: EncodedResponse): void | Promise<void> =>
      this.#answer(this.#options.perRequest.subscribe(settled, selection.revision), reply)
    if (!(response instanceof Promise)) return answer(response)
    this.#follow(message, response, answer)
    // While the client owes a response, reading continues and more calls are refused:
    // it comes on this connection.
    const capacity = (): Promise<void> | undefined =>
      this.#session?.awaitsResponse === true ? undefined : this.#options.perRequest.limit.capacity()
    return ready === undefined ? capacity() : ready.then(capacity, () => {})
  }

  /** A cancellation names a call of the session or another one; if both have the id, it cancels neither. */
  #notification(message: JsonRpcNotification): void {
    const session = this.#session
    const id = message.method === Notification.Cancelled ? message.params?.['requestId'] : undefined
    if (!isRequestId(id)) return session?.notification(message)
    const namesRevision = namesVersion(message) && ofEra('modern', this.#options.served).length > 0
    if (session === undefined || namesRevision || !session.hasCall(id)) this.#options.perRequest.cancel(id)
    if (!namesRevision && !this.#options.perRequest.calls.has(id)) session?.notification(message)
  }

  #begin(): void {
    this.#options.work.begin()
    this.#unanswered.begin()
  }

  #answer(response: EncodedResponse, reply: Reply): void | Promise<void> {
    const written = reply(response?.frame)
    this.#unanswered.end()
    this.#options.work.end()
    return written
  }

  #follow(
    message: JsonRpcRequest,
    response: Promise<EncodedResponse>,
    answer: (settled: EncodedResponse) => void | Promise<void>,
  ): void {
    response
      .then(answer, (error: unknown) => answer(this.#failed(message, error)))
      .catch((error: unknown) => this.#options.onBroken(error))
  }

  #failed(message: JsonRpcRequest, error: unknown): EncodedResponse {
    this.#options.runtime.logger.error(
      { err: error, method: message.method },
      'A request could not be answered',
    )
    return { frame: errorFrame(message.id, busy()) }
  }

  #initialize(message: JsonRpcRequest): Promise<void> {
    this.#begin()
    this.#opening = this.#openSession(message)
      .catch((error: unknown) => this.#failed(message, error))
      .then((response) => this.#answer(response, this.#options.write))
      .finally(() => {
        this.#opening = undefined
      })
    return this.#opening
  }

  async #openSession(message: JsonRpcRequest): Promise<EncodedResponse> {
    const response = await this.#options.sessionEra.initialize(message)
    if (this.#session !== undefined)
      this.#session.onClientRequest = () => this.#options.perRequest.limit.release()
    return response
  }

  /** One revision has batches. Their responses go back as one array. */
  #batch(values: readonly unknown[]): void | Promise<void> {
    if (this.#session?.revision.batching !== true)
      return this.#refuseBatch('Batches are not part of the negotiated protocol revision')
    const batch = readBatch(values)
    if ('fault' in batch) return this.#refuseBatch(batch.fault)
    const expected = batch.items.filter(({ kind }) => kind === 'request').length
    const responses = new BatchResponses(this.#options.runtime.maxResultBytes)
    let answered = 0
    const collect = (id: RequestId, frame: string | undefined): void | Promise<void> => {
      if (frame !== undefined) responses.add(id, frame)
      if (++answered === expected) return this.#options.write(responses.join())
    }
    for (const item of batch.items) {
      if (item.kind === 'request')
        void this.#request(item.message, (frame) => collect(item.message.id, frame))
      else void this.#route(item, this.#options.write)
    }
    return this.#session.capacity()
  }

  #refuseBatch(fault: string): void | Promise<void> {
    return this.#refuse('batch', undefined, invalidRequest(fault))
  }

  #refuse(
    reason: string,
    id: RequestId | undefined,
    error: JsonRpcErrorObject,
    reply = this.#options.write,
  ): void | Promise<void> {
    this.#options.onRefused(reason)
    return reply(errorFrame(id, error))
  }
}

/** The response to a request that no revision can serve. Before `initialize` a client may only ping. */
export function refusal(message: JsonRpcRequest, refused: Refused): string {
  return mayPing(message, refused) ? resultFrame(message.id, '{}') : errorFrame(message.id, refused.error)
}

/** https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization */
const mayPing = ({ method }: JsonRpcRequest, { reason }: Refused): boolean =>
  method === Method.Ping && reason === 'missingSession'
