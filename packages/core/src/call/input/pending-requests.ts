import { QuestionError } from '../../errors.ts'
import type { JsonObject, JsonRpcErrorObject, JsonRpcResponse, RequestId } from '../../protocol/jsonrpc.ts'
import { notificationFrame, requestFrame } from '../../protocol/jsonrpc.ts'
import { RELATED_TASK } from '../../protocol/meta.ts'
import { Method, Notification } from '../../protocol/methods.ts'
import type { Clock } from '../../util/clock.ts'
import type { Exchange } from '../exchange.ts'
import { notAnswered, type InputRequest } from './encode-question.ts'

/** Questions of one session that may wait for their answers at once; one more fails. */
const MAX_PENDING = 64
/** How much of a peer's own words comes back in an error. */
const MAX_REASON = 200

/** What the ids of pings begin with. That there is an answer is all it says, so that nothing is kept to know it by. */
const PING = 'ping-'

interface Pending {
  readonly key: string
  readonly timer: unknown
  readonly exchange: Exchange
  /** The task that asks, as `_meta`. */
  readonly task: unknown
  readonly resolve: (result: JsonObject) => void
  readonly reject: (error: QuestionError) => void
}

/** A question on its way. */
export interface OpenRequest {
  /** Rejects with a QuestionError. */
  readonly result: Promise<JsonObject>
  /** Tells the client that nobody waits any more. Does nothing once there is an answer. */
  cancel(why: string): void
}

/** Brings questions to a client. */
export interface RequestChannel {
  send(key: string, question: InputRequest, exchange: Exchange): OpenRequest
}

/** The requests that a server has sent to one client, until each is answered, times out or is withdrawn. */
export class PendingRequests implements RequestChannel {
  readonly #clock: Clock
  readonly #timeoutMs: number
  readonly #onAsk: () => void
  readonly #pending = new Map<RequestId, Pending>()
  #lastId = 0
  #ignored = 0
  #gone = false

  /** @param onAsk - hears of each request before it is sent */
  constructor(clock: Clock, timeoutMs: number, onAsk: () => void) {
    this.#clock = clock
    this.#timeoutMs = timeoutMs
    this.#onAsk = onAsk
  }

  get size(): number {
    return this.#pending.size
  }

  /** Answers that nobody waited for: late ones, and ones to what was never asked. */
  get ignored(): number {
    return this.#ignored
  }

  send(key: string, { method, params }: InputRequest, exchange: Exchange): OpenRequest {
    const id = ++this.#lastId
    const result = new Promise<JsonObject>((resolve, reject) => {
      if (this.#gone) return reject(new QuestionError('closed', goneText(key)))
      if (this.#pending.size >= MAX_PENDING) return reject(notAnswered(key, 'too many questions are open'))
      const timer = this.#clock.setTimeout(() => this.#timedOut(id), this.#timeoutMs)
      const task = (params['_meta'] as JsonObject | undefined)?.[RELATED_TASK]
      this.#pending.set(id, { key, timer, exchange, task, resolve, reject })
      this.#onAsk()
      const frame = requestFrame(id, method, params)
      void (exchange.request === undefined ? exchange.send(frame) : exchange.request(frame))
    })
    return { result, cancel: (why) => this.#withdraw(id, new QuestionError('cancelled', why)) }
  }

  /** A ping with an id of its own. */
  pingFrame(): string {
    return requestFrame(`${PING}${++this.#lastId}`, Method.Ping)
  }

  /** Takes an answer to the question that it belongs to. Every other one is counted and dropped. */
  settle(response: JsonRpcResponse): void {
    if (typeof response.id === 'string' && response.id.startsWith(PING)) return
    const waiting = response.id === undefined ? undefined : this.#take(response.id)
    if (waiting === undefined) this.#ignored++
    else if ('result' in response) waiting.resolve(response.result)
    else waiting.reject(notAnswered(waiting.key, reasonOf(response.error)))
  }

  /** The client will answer nothing any more. */
  end(): void {
    this.#gone = true
    for (const id of this.#pending.keys()) {
      const waiting = this.#take(id)
      waiting?.reject(new QuestionError('closed', goneText(waiting.key)))
    }
  }

  #timedOut(id: RequestId): void {
    const key = this.#pending.get(id)?.key ?? ''
    const seconds = Math.round(this.#timeoutMs / 1000)
    this.#withdraw(id, new QuestionError('timeout', `The question "${key}" was not answered in ${seconds} s`))
  }

  /** https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/cancellation */
  #withdraw(id: RequestId, error: QuestionError): void {
    const waiting = this.#take(id)
    if (waiting === undefined) return
    const params = {
      requestId: id,
      reason: error.message,
      ...(waiting.task !== undefined && { _meta: { [RELATED_TASK]: waiting.task } }),
    }
    void waiting.exchange.send(notificationFrame(Notification.Cancelled, params))
    waiting.reject(error)
  }

  #take(id: RequestId): Pending | undefined {
    const waiting = this.#pending.get(id)
    if (waiting === undefined) return undefined
    this.#pending.delete(id)
    this.#clock.clearTimeout(waiting.timer)
    return waiting
  }
}

const goneText = (key: string): string => `The question "${key}" was not answered: the client has gone`

const reasonOf = ({ code, message }: JsonRpcErrorObject): string =>
  `the client replied with error ${code}: ${message.slice(0, MAX_REASON)}`
