import type { CallContext } from '../call/context.ts'
import type { JsonObject } from '../protocol/jsonrpc.ts'
import { isFinal } from '../protocol/types.ts'
import type { TaskRecord } from '../stores/task-store.ts'
import type { Clock } from '../util/clock.ts'
import type { Awaitable } from '../util/promises.ts'
import type { RunningTask } from './running-task.ts'
import type { TaskViewer } from './task-input.ts'
import type { OpenRequest } from '../call/input/pending-requests.ts'

/** Gives a call access to a task on another node. */
interface RemoteTask {
  readonly clock: Clock
  /** The interval after which the task is read again even without a change, in ms. */
  readonly intervalMs: number
  /** Calls the listener after each change. Returns a function that ends the watch. */
  readonly watch: (listener: () => void) => () => void
  readonly read: () => Promise<TaskRecord>
  /** Resolves to false if the response may not have reached the task. */
  readonly answer: (id: string, response: JsonObject) => Awaitable<boolean>
}

/** Waits for a task in this process. Meanwhile, the task's questions are sent through the call. */
export async function waitFor(live: RunningTask, call: CallContext): Promise<void> {
  const viewer = viewerOf(call)
  if (viewer === undefined) return live.done
  const detach = live.questions.attach(viewer)
  call.signal.addEventListener('abort', detach)
  await live.done
  detach()
}

/**
 * Waits for a task on another node. Reads the task after each change, and also at regular intervals, because
 * messages about changes can be lost. Meanwhile, the task's questions are sent through the call. If the call
 * ends first, resolves to the last record that was read.
 */
export async function pollTask(
  task: TaskRecord,
  call: CallContext,
  { clock, intervalMs, watch, read, answer }: RemoteTask,
): Promise<TaskRecord> {
  const viewer = viewerOf(call)
  const questions = viewer && new RemoteQuestions(viewer, answer)
  const changes = new Changes()
  const leave = watch(() => changes.add())
  let record = task
  try {
    // The task may have changed before the watch started, so it is read again.
    record = await read()
    while (!isFinal(record.status) && !call.signal.aborted) {
      questions?.update(record.inputs)
      await changes.next(clock, intervalMs, call.signal)
      record = await read()
    }
  } finally {
    leave()
    questions?.close()
  }
  return record
}

/** Signals changes. Several changes that have not been read yet count as one. */
class Changes {
  #changed = false
  #wake: (() => void) | undefined

  add(): void {
    this.#changed = true
    this.#wake?.()
  }

  /** Resolves after a change, when the given time has passed, or when the call ends. */
  async next(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#changed) await this.#pause(clock, ms, signal)
    this.#changed = false
  }

  #pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clock.clearTimeout(timer)
        // The listener must be removed, because a single call may read its task thousands of times.
        signal.removeEventListener('abort', end)
        this.#wake = undefined
        resolve()
      }
      const timer = clock.setTimeout(end, ms)
      this.#wake = end
      signal.addEventListener('abort', end)
    })
  }
}

/** Returns undefined if the client of the call cannot receive questions. */
function viewerOf({ scope: { input, exchange } }: CallContext): TaskViewer | undefined {
  const requests = exchange.duplex ? input?.live?.requests : undefined
  return requests && { requests, exchange }
}

/** Sends the questions of a task on another node through a call on this node that waits for the task. */
class RemoteQuestions {
  readonly #viewer: TaskViewer
  readonly #answer: RemoteTask['answer']
  readonly #open = new Map<string, OpenRequest>()

  constructor(viewer: TaskViewer, answer: RemoteTask['answer']) {
    this.#viewer = viewer
    this.#answer = answer
  }

  /** Sends new questions, and cancels answered ones. */
  update(inputs: TaskRecord['inputs'] = {}): void {
    const { requests, exchange } = this.#viewer
    for (const [id, request] of this.#open)
      if (!Object.hasOwn(inputs, id)) this.#withdraw(id, request, ANSWERED)
    for (const [id, question] of Object.entries(inputs)) {
      if (this.#open.has(id)) continue
      const request = requests.send(id, question, exchange)
      this.#open.set(id, request)
      request.result.then(
        async (response) => {
          const arrived = await this.#answer(id, response)
          // Deleting the request makes the next update send the question again.
          if (!arrived && this.#open.get(id) === request) this.#open.delete(id)
        },
        // A failure here leaves the question open for other waiting calls.
        () => {},
      )
    }
  }

  close(): void {
    for (const [id, request] of this.#open) this.#withdraw(id, request, LEFT)
  }

  #withdraw(id: string, request: OpenRequest, why: string): void {
    this.#open.delete(id)
    request.cancel(why)
  }
}

const ANSWERED = 'The question was answered already'
const LEFT = 'The call no longer waits for the task'
