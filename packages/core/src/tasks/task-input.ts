import { isErrorOf, QuestionError } from '../errors.ts'
import type { JsonObject } from '../protocol/jsonrpc.ts'
import type { Exchange } from '../call/exchange.ts'
import type { OpenRequest, RequestChannel } from '../call/input/pending-requests.ts'
import { notAnswered, type InputRequest } from '../call/input/encode-question.ts'
import type { TaskRecord } from '../stores/task-store.ts'

/** A call on whose stream a task's questions may travel. */
export interface TaskViewer {
  readonly requests: RequestChannel
  readonly exchange: Exchange
}

/** Questions of one task that may be open at once; one more fails. */
const MAX_OPEN = 64

interface Waiting {
  readonly question: InputRequest
  readonly key: string
  readonly copies: Map<TaskViewer, OpenRequest>
  readonly resolve: (result: JsonObject) => void
  readonly reject: (error: unknown) => void
}

/**
 * What a task asks while no call of its client waits for it. A question is kept until a viewer comes, and goes out to
 * each that does: a client that lost the stream it was asked on is asked again. The first answer counts, and withdraws
 * the other copies.
 */
export class TaskQuestions implements RequestChannel {
  readonly #meta: JsonObject | undefined
  readonly #onChange: () => void
  readonly #viewers = new Set<TaskViewer>()
  readonly #waiting = new Map<string, Waiting>()
  #lastId = 0

  /**
   * @param meta - what ties a question to the task
   * @param onChange - hears when a question is asked or settled
   */
  constructor(meta: JsonObject | undefined, onChange: () => void) {
    this.#meta = meta
    this.#onChange = onChange
  }

  /** What is open, by keys of which none is used again; undefined where nothing is. */
  get open(): TaskRecord['inputs'] {
    if (this.#waiting.size === 0) return undefined
    return Object.fromEntries([...this.#waiting].map(([id, { question }]) => [id, question]))
  }

  /** The call of the viewer that came last, if there is one. */
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
    const question =
      this.#meta === undefined
        ? { method, params }
        : { method, params: { ...params, _meta: { ...own, ...this.#meta } } }
    const result = new Promise<JsonObject>((resolve, reject) => {
      this.#waiting.set(id, { question, key, copies: new Map(), resolve, reject })
    })
    for (const viewer of this.#viewers) this.#offer(id, viewer)
    this.#onChange()
    return {
      result,
      cancel: (why) => this.#settle(id, why)?.reject(new QuestionError('cancelled', why)),
    }
  }

  /** Asks a viewer what is open, and what will be, until the returned function is called. */
  attach(viewer: TaskViewer): () => void {
    this.#viewers.add(viewer)
    for (const id of this.#waiting.keys()) this.#offer(id, viewer)
    return () => {
      this.#viewers.delete(viewer)
      for (const { copies } of this.#waiting.values()) {
        const copy = copies.get(viewer)
        copies.delete(viewer)
        copy?.cancel('Nobody waits for the task on this call any more')
      }
    }
  }

  /** Answers what is open under a key; one that is not, or no more, is left out of account. */
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
        // A client that has gone may come back, or another session of the same principal may.
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
