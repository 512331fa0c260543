import type { JsonObject } from '../protocol/jsonrpc.ts'
import type { OpenRequest } from '../call/input/pending-requests.ts'
import type { TaskRecord } from '../stores/task-store.ts'
import type { TaskViewer } from './task-input.ts'

/** Carries the questions of a task on another node, on a call that waits for the task here. */
export class RemoteQuestions {
  readonly #viewer: TaskViewer
  readonly #answer: (id: string, response: JsonObject) => void
  readonly #asked = new Map<string, OpenRequest>()

  constructor(viewer: TaskViewer, answer: (id: string, response: JsonObject) => void) {
    this.#viewer = viewer
    this.#answer = answer
  }

  /** Sends new questions, and cancels answered ones. */
  update(inputs: TaskRecord['inputs'] = {}): void {
    const { requests, exchange } = this.#viewer
    for (const [id, request] of this.#asked)
      if (!Object.hasOwn(inputs, id)) this.#withdraw(id, request, ANSWERED)
    for (const [id, question] of Object.entries(inputs)) {
      if (this.#asked.has(id)) continue
      const request = requests.send(id, question, exchange)
      this.#asked.set(id, request)
      request.result.then(
        (response) => this.#answer(id, response),
        // The question stays open for other waiting calls.
        () => {},
      )
    }
  }

  close(): void {
    for (const [id, request] of this.#asked) this.#withdraw(id, request, LEFT)
  }

  #withdraw(id: string, request: OpenRequest, why: string): void {
    this.#asked.delete(id)
    request.cancel(why)
  }
}

const ANSWERED = 'The question was answered already'
const LEFT = 'The call does not wait for the task any more'
