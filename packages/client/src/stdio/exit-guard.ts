import { send } from './process-tree.ts'

/** Groups that are to end with this process, should it end without closing them. */
const groups = new Set<number>()

/** At this point nothing asynchronous runs any more; the closed pipes say the rest. */
function endAll(): void {
  for (const leader of groups) send(-leader, 'SIGTERM')
}

/** Ends a process group with this process. Returns what takes that back. */
export function endWithThisProcess(leader: number): () => void {
  if (process.platform === 'win32') return () => {}
  if (groups.size === 0) process.on('exit', endAll)
  groups.add(leader)
  return () => {
    groups.delete(leader)
    if (groups.size === 0) process.off('exit', endAll)
  }
}
