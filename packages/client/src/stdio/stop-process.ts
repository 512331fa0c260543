import type { StopSteps } from './options.ts'
import type { ProcessTree } from './process-tree.ts'

const POLL_MS = 40
/** How long a killed process may take to disappear, in ms. */
const KILLED_MS = 1_000

/**
 * Stops a process tree step by step.
 *
 * @param exited - settles when the process has exited
 */
export async function stopTree(tree: ProcessTree, steps: StopSteps, exited: Promise<unknown>): Promise<void> {
  await within(steps.inputMs, exited)
  if (!(await tree.remains())) return
  await tree.signal(steps.signal)
  if (await ends(tree, steps.signalMs)) return
  // Each check also finds processes that were started after the previous check.
  for (const until = Date.now() + KILLED_MS; Date.now() < until;) {
    await tree.signal('SIGKILL')
    if (await ends(tree, POLL_MS)) return
  }
}

async function ends(tree: ProcessTree, ms: number): Promise<boolean> {
  const until = Date.now() + ms
  for (;;) {
    if (!(await tree.remains())) return true
    const left = until - Date.now()
    if (left <= 0) return false
    await within(Math.min(left, POLL_MS), new Promise(() => {}))
  }
}

/** Waits for a promise for at most the given number of ms. Never rejects. */
export function within(ms: number, promise: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    void promise
      .catch(() => {})
      .then(() => {
        clearTimeout(timer)
        resolve()
      })
  })
}
