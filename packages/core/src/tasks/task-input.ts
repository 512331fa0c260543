import { isErrorOf, QuestionError } from '../errors.ts'
import type { JsonObject } from '../protocol/jsonrpc.ts'
import type { Exchange } from '../call/exchange.ts'
import type { OpenRequest, RequestChannel } from '../call/input/pending-requests.ts'
import { notAnswered, type InputRequest } from '../call/input/encode-question.ts'
import type { TaskRecord } from '../stores/task-store.ts'

/** A call that is waiting for a task and can carry the task's questions. */
export interface TaskViewer {
  readonly requests: RequestChannel
  readonly exchange: Exchange
}

/** The maximum number of open questions per task. */
const MAX_OPEN = 64

interface Waiting {
  readonly question: InputRequest
  readonly key: string
  readonly copies: Map<TaskViewer, OpenRequest>
  readonly resolve: (result: JsonObject) => void
  readonly reject: (error: unknown) => void
}

/**
 * The open questions of a task. Each question is sent on every current and later call that waits for the
 * task, so that a client that has lost a stream receives the question again. The first response is used, and
 * the other copies are cancelled.
 */
export class TaskQuestions implements RequestChannel {
  readonly #meta: JsonObject | undefined
  readonly #onChange: () => void
  readonly #viewers = new Set<TaskViewer>()
  readonly #waiting = new Map<string, Waiting>()
  #lastId = 0

  /**
   * @param meta - the `_meta` that associates a question with the task
   * @param onChange - runs when a question is asked or answered
   */
  constructor(meta: JsonObject | undefined, onChange: () => void) {
    this.#meta = meta
    this.#onChange = onChange
  }

  /** The open questions, keyed by id; undefined if there are none. Ids are not reused. */
  get open(): TaskRecord['inputs'] {
    if (this.#waiting.size === 0) return undefined
    return Object.fromEntries([...this.#waiting].map(([id, { question }]) => [id, question]))
  }

  /** The exchange of the call that started to wait last. */
  get exchange(): Exchange | undefined {
    return [...this.#viewers].at(-1)?.exchange
  }

  send(key: string, { method, params }: InputRequest): OpenRequest {
    if (this.#waiting.size >= MAX_OPEN) {
      const result = Promise.reject(notAnswered(key, 'too many questions are open'))
      return { result, cancel: () => {} }
    }
    const id = `${key}-${++this.#lastId}`
    const own = params['_meta'] as JsonObject | undefined
    const question = {
      method,
      params: { ...params, ...(this.#meta && { _meta: { ...own, ...this.#meta } }) },
    }
    const result = new Promise<JsonObject>((resolve, reject) => {
      this.#waiting.set(id, { question, key, copies: new Map(), resolve, reject })
    })
    for (const viewer of this.#viewers) this.#offer(id, viewer)
    this.#onChange()
    return { result, cancel: (why) => this.#settle(id, why)?.reject(new QuestionError('cancelled', why)) }
  }

  /** Sends open and later questions to a waiting call, until the returned function is called. */
  attach(viewer: TaskViewer): () => void {
    this.#viewers.add(viewer)
    for (const id of this.#waiting.keys()) this.#offer(id, viewer)
    return () => {
      this.#viewers.delete(viewer)
      for (const { copies } of this.#waiting.values()) {
        const copy = copies.get(viewer)
        copies.delete(viewer)
        copy?.cancel('The call no longer waits for the task')
      }
    }
  }

  /** Passes the client's answer to a question. A key that is not open is ignored. */
  answer(id: string, response: JsonObject): void {
    this.#settle(id, 'The question was answered already')?.resolve(response)
  }

  #offer(id: string, viewer: TaskViewer): void {
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) return
    const copy = viewer.requests.send(waiting.key, waiting.question, viewer.exchange)
    waiting.copies.set(viewer, copy)
    copy.result.then(
      (result) => this.#settle(id, 'The question was answered already')?.resolve(result),
      (error: unknown) => {
        if (waiting.copies.get(viewer) !== copy) return
        waiting.copies.delete(viewer)
        // The client may reconnect, or another session of the same principal may answer.
        if (isErrorOf(QuestionError, error) && error.reason === 'closed') return
        this.#settle(id, 'The question has failed')?.reject(error)
      },
    )
  }

  #settle(id: string, why: string): Waiting | undefined {
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) return undefined
    this.#waiting.delete(id)
    const copies = [...waiting.copies.values()]
    waiting.copies.clear()
    for (const copy of copies) copy.cancel(why)
    this.#onChange()
    return waiting
  }
}
