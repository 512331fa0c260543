import type { StopSteps } from './options.ts'
import type { ProcessTree } from './process-tree.ts'

/** How often it is looked whether a process has gone, in ms. */
const POLL_MS = 40
/** How long what was killed may take to disappear, in ms. */
const KILLED_MS = 1_000

/**
 * Ends a process and all that it has started, step by step, as soon as each step allows.
 *
 * @param gone settles when the process itself has ended
 */
export async function stopTree(tree: ProcessTree, steps: StopSteps, gone: Promise<unknown>): Promise<void> {
  await within(steps.inputMs, gone)
  if (!(await tree.remains())) return
  await tree.signal(steps.signal)
  if (await ends(tree, steps.signalMs)) return
  // What a dying process has started meanwhile is found, and killed, by the next look.
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

/** Waits for a promise, but no longer than this, in ms. */
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
