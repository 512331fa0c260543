import {
  classify,
  ErrorCode,
  isObject,
  isRequestId,
  type JsonObject,
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
  Method,
  Notification,
  type RequestId,
  SUBSCRIPTION_ID,
} from '@jetway/core/protocol'
import { Questions } from './questions.ts'
import { type ListKind, SessionReplay } from './replay.ts'
import { identityOf, namesRevision } from './request-meta.ts'
import { lostAnswer } from './restart-answers.ts'

interface Pending {
  readonly request: JsonRpcRequest
  /** The process that is handling the request. Undefined while a subscription waits for the next process. */
  generation: number | undefined
}

interface Subscription {
  readonly request: JsonRpcRequest
  /** The filter that the first process acknowledged. */
  agreed: JsonObject | undefined
}

/** A message for a process. The generation is undefined if no process is running. */
export interface Routed {
  readonly generation: number | undefined
  readonly message: unknown
}

/** The messages to send after a process has exited. */
export interface Lost {
  readonly toClient: readonly JsonRpcMessage[]
  /** Requests to repeat in the next process. */
  readonly again: readonly JsonRpcRequest[]
}

const MAX_PENDING = 4_096

const keyOf = (id: RequestId): string => JSON.stringify(id)

/**
 * Routes one client's messages on a duplex connection to successive processes. It does no input or output
 * itself; callers pass each message through it. Each process is identified by its generation, an increasing
 * number.
 */
export class Relay {
  readonly replay: SessionReplay = new SessionReplay()
  readonly #questions = new Questions()
  readonly #pending = new Map<string, Pending>()
  readonly #subscriptions = new Map<string, Subscription>()
  #current: number | undefined
  #meta: JsonObject | undefined

  /** The process that receives new requests. */
  get current(): number | undefined {
    return this.#current
  }

  /**
   * The `_meta` for requests that the relay sends on behalf of a client without a session; undefined before the
   * client's first request.
   */
  get meta(): JsonObject | undefined {
    return this.#meta
  }

  /** Whether the client has reached the maximum number of unanswered requests. */
  get full(): boolean {
    return this.#pending.size >= MAX_PENDING
  }

  /**
   * Returns the number of requests to which a process has not responded. Subscriptions are not counted, because
   * they move to the next process.
   */
  inFlight(generation: number): number {
    let count = 0
    for (const [key, pending] of this.#pending)
      if (pending.generation === generation && !this.#subscriptions.has(key)) count++
    return count
  }

  /** Routes a client's message. Returns undefined if no process expects it. */
  fromClient(value: unknown): Routed | undefined {
    const incoming = classify(value)
    if (incoming.kind === 'request') return this.#request(incoming.message)
    if (incoming.kind === 'notification') return this.#notification(incoming.message)
    if (incoming.kind === 'response') return this.#response(incoming.message)
    // An invalid message is passed on, because the server must respond to it.
    return { generation: this.#current, message: value }
  }

  /**
   * Converts a message from a process to the form that the client expects. Returns undefined if the client must
   * not receive the message.
   */
  fromProcess(generation: number, value: unknown): unknown {
    const incoming = classify(value)
    if (incoming.kind === 'request') return this.#questions.asked(generation, incoming.message)
    if (incoming.kind === 'notification') return this.#notice(generation, incoming.message)
    return incoming.kind === 'response' ? this.#answer(generation, incoming.message) : value
  }

  /**
   * Sends new requests to this process. Returns the open subscriptions, which this process must take over.
   */
  moveTo(generation: number): readonly JsonRpcRequest[] {
    this.#current = generation
    for (const key of this.#subscriptions.keys()) {
      const pending = this.#pending.get(key)
      if (pending !== undefined) pending.generation = generation
    }
    return [...this.#subscriptions.values()].map(({ request }) => request)
  }

  /** Stops sending new requests to this process. */
  leave(generation: number): void {
    if (this.#current === generation) this.#current = undefined
  }

  /** Handles the exit of a process. Messages that it sent later are dropped. */
  lost(generation: number): Lost {
    this.leave(generation)
    const toClient: JsonRpcMessage[] = [...this.#questions.lost(generation)]
    const again: JsonRpcRequest[] = []
    for (const [key, pending] of this.#pending) {
      if (pending.generation !== generation) continue
      const { request } = pending
      if (this.#subscriptions.has(key)) pending.generation = undefined
      else {
        this.#pending.delete(key)
        if (request.method === Method.Initialize) again.push(request)
        else toClient.push(lostAnswer(request))
      }
    }
    return { toClient, again }
  }

  /** Returns the `list_changed` notifications that the client expects. */
  listChanged(kind: ListKind): readonly JsonRpcNotification[] {
    const method = `notifications/${kind}/list_changed`
    const session = this.replay.promises(kind) ? [{ jsonrpc: '2.0' as const, method }] : []
    const subscribed = [...this.#subscriptions.values()].filter(
      ({ agreed }) => agreed?.[`${kind}ListChanged`] === true,
    )
    return [
      ...session,
      ...subscribed.map(({ request }) => ({
        jsonrpc: '2.0' as const,
        method,
        params: { _meta: { [SUBSCRIPTION_ID]: request.id } },
      })),
    ]
  }

  #request(request: JsonRpcRequest): Routed {
    const generation = this.#current
    if (namesRevision(request.params)) this.#meta = identityOf(request.params)
    if (generation !== undefined) {
      const key = keyOf(request.id)
      this.#pending.set(key, { request, generation })
      if (request.method === Method.Listen) this.#subscriptions.set(key, { request, agreed: undefined })
    }
    return { generation, message: request }
  }

  #notification(message: JsonRpcNotification): Routed | undefined {
    const id = message.method === Notification.Cancelled ? message.params?.['requestId'] : undefined
    if (!isRequestId(id)) return { generation: this.#current, message }
    const key = keyOf(id)
    const pending = this.#pending.get(key)
    if (this.#subscriptions.delete(key) && pending !== undefined && pending.generation === undefined) {
      this.#pending.delete(key)
      return undefined
    }
    return { generation: pending?.generation ?? this.#current, message }
  }

  #response(message: JsonRpcResponse): Routed | undefined {
    const question = message.id === undefined ? undefined : this.#questions.answered(message.id)
    return question && { generation: question.generation, message: { ...message, id: question.id } }
  }

  #notice(generation: number, message: JsonRpcNotification): JsonRpcNotification | undefined {
    const { method, params = {} } = message
    if (method === Notification.Cancelled && isRequestId(params['requestId'])) {
      const requestId = this.#questions.cancelled(generation, params['requestId'])
      return { ...message, params: { ...params, requestId } }
    }
    return method === Notification.Acknowledged && this.#isRepeated(params) ? undefined : message
  }

  /** Returns whether an earlier process has already acknowledged the subscription. */
  #isRepeated({ _meta: meta, notifications }: JsonObject): boolean {
    const id = isObject(meta) ? meta[SUBSCRIPTION_ID] : undefined
    const subscription = isRequestId(id) ? this.#subscriptions.get(keyOf(id)) : undefined
    if (subscription === undefined) return false
    if (subscription.agreed !== undefined) return true
    subscription.agreed = isObject(notifications) ? notifications : {}
    return false
  }

  #answer(generation: number, message: JsonRpcResponse): JsonRpcResponse | undefined {
    if (message.id === undefined || message.id === null) return message
    const key = keyOf(message.id)
    const pending = this.#pending.get(key)
    if (pending?.generation !== generation) return undefined
    this.#pending.delete(key)
    this.#subscriptions.delete(key)
    if ('result' in message) this.replay.succeeded(pending.request, message.result)
    else if (generation !== this.#current && message.error.code === ErrorCode.InternalError)
      // A process may abort its calls when it receives SIGTERM.
      return lostAnswer(pending.request)
    return message
  }
}
