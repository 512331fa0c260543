import type { CallContext } from '../call/context.ts'
import type { JsonObject } from '../protocol/jsonrpc.ts'
import { isFinal } from '../protocol/tasks.ts'
import type { TaskRecord } from '../stores/task-store.ts'
import type { Clock } from '../util/clock.ts'
import { RemoteQuestions } from './remote-questions.ts'
import type { RunningTask } from './running-task.ts'
import type { TaskViewer } from './task-input.ts'

/** How a call reaches the task of another node. */
export interface RemoteTask {
  readonly clock: Clock
  /** The time between two reads, in ms. */
  readonly intervalMs: number
  readonly read: () => Promise<TaskRecord>
  readonly answer: (id: string, response: JsonObject) => void
}

/** Waits for a task of this process. Meanwhile the call carries its questions. */
export async function waitFor(live: RunningTask, call: CallContext): Promise<void> {
  const viewer = viewerOf(call)
  if (viewer === undefined) return live.done
  const detach = live.questions.attach(viewer)
  call.signal.addEventListener('abort', detach)
  await live.done
  detach()
}

/**
 * Waits for a task of another node by reading it again and again. Meanwhile the call carries its questions.
 * Resolves to the last record also if the call ends first.
 */
export async function pollTask(
  task: TaskRecord,
  call: CallContext,
  { clock, intervalMs, read, answer }: RemoteTask,
): Promise<TaskRecord> {
  const viewer = viewerOf(call)
  const questions = viewer && new RemoteQuestions(viewer, answer)
  let record = task
  try {
    while (!isFinal(record.status) && !call.signal.aborted) {
      questions?.update(record.inputs)
      await pause(clock, intervalMs, call.signal)
      record = await read()
    }
  } finally {
    questions?.close()
  }
  return record
}

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clock.clearTimeout(timer)
      // A task may be read many thousand times during one call.
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = clock.setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
}

/** Undefined if the call cannot carry questions. */
function viewerOf({ scope: { input, exchange } }: CallContext): TaskViewer | undefined {
  const requests = exchange.duplex ? input?.live?.requests : undefined
  return requests && { requests, exchange }
}
