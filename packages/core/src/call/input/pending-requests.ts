import { QuestionError } from '../../errors.ts'
import {
  type JsonObject,
  type JsonRpcErrorObject,
  type JsonRpcResponse,
  notificationFrame,
  requestFrame,
  type RequestId,
} from '../../protocol/jsonrpc.ts'
import { Method, Notification, RELATED_TASK } from '../../protocol/methods.ts'
import type { Clock } from '../../util/clock.ts'
import { type Random, randomToken } from '../../util/random.ts'
import type { Exchange } from '../exchange.ts'
import { notAnswered, type InputRequest } from './encode-question.ts'

/** The maximum number of open requests to one client. */
const MAX_PENDING = 64
/** The maximum length of a client's error message when it is quoted in an error, in characters. */
const MAX_REASON = 200

/** The length of an id's prefix, in characters of six random bits each. */
const TOKEN_LENGTH = 8
/**
 * Part of the ids of pings that check what the client has read. Other pings only check whether the client is
 * connected, so any message from the client counts as their response.
 */
const PING = 'ping-'
/**
 * How long a client may take to confirm what it has read, in ms. If a client is busy for longer, it may miss
 * progress notifications.
 */
const CONFIRM_MS = 1_000
/** How long to wait for a client to read if it does not respond to pings, in ms. */
const READ_MS = 20

interface Pending {
  readonly key: string
  readonly timer: unknown
  readonly exchange: Exchange
  /** The `_meta` of the task that sends the request. */
  readonly task: unknown
  readonly resolve: (result: JsonObject) => void
  readonly reject: (error: QuestionError) => void
}

export interface OpenRequest {
  /** Rejects with a QuestionError. */
  readonly result: Promise<JsonObject>
  /** Notifies the client that the response is no longer needed. After the response, does nothing. */
  cancel(why: string): void
}

export interface RequestChannel {
  send(key: string, question: InputRequest, exchange: Exchange): OpenRequest
}

interface PendingRequestsOptions {
  readonly clock: Clock
  readonly random: Random
  /** The id of this node, if responses may arrive at another node. */
  readonly node?: string | undefined
  readonly timeoutMs: number
  /** Runs before each request is sent. */
  readonly onSend: () => void
}

/** The requests to one client that are still waiting for a response. */
export class PendingRequests implements RequestChannel {
  readonly #options: PendingRequestsOptions
  readonly #pending = new Map<RequestId, Pending>()
  /** The callbacks of pings, keyed by ping id. */
  readonly #confirmations = new Map<RequestId, () => void>()
  #answersPings = true
  /** The prefix of all ids. */
  #prefix: string | undefined
  #lastId = 0
  #ended = false

  constructor(options: PendingRequestsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#pending.size
  }

  send(key: string, { method, params }: InputRequest, exchange: Exchange): OpenRequest {
    const id = this.#nextId()
    const result = new Promise<JsonObject>((resolve, reject) => {
      if (this.#ended) return reject(new QuestionError('closed', disconnectedText(key)))
      if (this.#pending.size >= MAX_PENDING) return reject(notAnswered(key, 'too many questions are open'))
      const timer = this.#options.clock.setTimeout(() => this.#timedOut(id), this.#options.timeoutMs)
      const task = (params['_meta'] as JsonObject | undefined)?.[RELATED_TASK]
      this.#pending.set(id, { key, timer, exchange, task, resolve, reject })
      this.#options.onSend()
      const frame = requestFrame(id, method, params)
      void (exchange.request === undefined ? exchange.send(frame) : exchange.request(frame))
    })
    return { result, cancel: (why) => this.#withdraw(id, new QuestionError('cancelled', why)) }
  }

  pingFrame(id: string = this.#nextId(PING)): string {
    return requestFrame(id, Method.Ping)
  }

  /**
   * Sends a ping, and resolves when the client's response shows that it has read everything sent before the
   * ping. If the client does not respond in time, the promise still resolves, and later calls only wait for a
   * fixed time.
   */
  confirmRead(send: (frame: string) => void): Promise<void> {
    if (this.#ended) return Promise.resolve()
    const id = this.#nextId(PING)
    const { clock } = this.#options
    return new Promise((resolve) => {
      const timer = clock.setTimeout(
        () => {
          this.#answersPings = false
          confirmed()
        },
        this.#answersPings ? CONFIRM_MS : READ_MS,
      )
      const confirmed = (): void => {
        clock.clearTimeout(timer)
        this.#confirmations.delete(id)
        resolve()
      }
      this.#confirmations.set(id, confirmed)
      if (this.#answersPings) send(this.pingFrame(id))
    })
  }

  /**
   * Returns false if the response belongs to an unknown or already answered request. Such a response has no
   * effect.
   */
  settle(response: JsonRpcResponse): boolean {
    const { id } = response
    if (this.#prefix === undefined || typeof id !== 'string' || !id.startsWith(this.#prefix)) return false
    if (id.startsWith(PING, this.#prefix.length)) {
      this.#answersPings = true
      this.#confirmations.get(id)?.()
      return true
    }
    const pending = this.#take(id)
    if (pending === undefined) return true
    if ('result' in response) pending.resolve(response.result)
    else pending.reject(notAnswered(pending.key, reasonOf(response.error)))
    return true
  }

  /** Rejects all open and later requests, because the client has disconnected. */
  end(): void {
    this.#ended = true
    for (const confirmed of this.#confirmations.values()) confirmed()
    for (const id of this.#pending.keys()) {
      const pending = this.#take(id)
      pending?.reject(new QuestionError('closed', disconnectedText(pending.key)))
    }
  }

  /**
   * Creates an id with a random prefix. A client may respond to a request that was sent before a restart, or by
   * another process that shares the sessions. With plain numbers as ids, that response could approve a
   * different question.
   */
  #nextId(kind = ''): string {
    const { node, random } = this.#options
    this.#prefix ??= `${node === undefined ? '' : `${node}.`}${randomToken(TOKEN_LENGTH, random)}-`
    return `${this.#prefix}${kind}${++this.#lastId}`
  }

  #timedOut(id: RequestId): void {
    const key = this.#pending.get(id)?.key ?? ''
    const seconds = Math.round(this.#options.timeoutMs / 1000)
    this.#withdraw(id, new QuestionError('timeout', `The question "${key}" was not answered in ${seconds} s`))
  }

  /** https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/cancellation */
  #withdraw(id: RequestId, error: QuestionError): void {
    const pending = this.#take(id)
    if (pending === undefined) return
    const params = {
      requestId: id,
      reason: error.message,
      ...(pending.task !== undefined && { _meta: { [RELATED_TASK]: pending.task } }),
    }
    void pending.exchange.send(notificationFrame(Notification.Cancelled, params))
    pending.reject(error)
  }

  #take(id: RequestId): Pending | undefined {
    const pending = this.#pending.get(id)
    if (pending === undefined) return undefined
    this.#pending.delete(id)
    this.#options.clock.clearTimeout(pending.timer)
    return pending
  }
}

const disconnectedText = (key: string): string =>
  `The question "${key}" was not answered: the client has disconnected`

const reasonOf = ({ code, message }: JsonRpcErrorObject): string =>
  `the client replied with error ${code}: ${message.slice(0, MAX_REASON)}`

/** Returns the node that sent the request with this id, or undefined if there is only one node. */
export function nodeOfRequest(id: RequestId | null | undefined): string | undefined {
  if (typeof id !== 'string') return undefined
  const at = id.indexOf('.')
  return at > 0 ? id.slice(0, at) : undefined
}
