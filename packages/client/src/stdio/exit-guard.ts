import { send } from './process-tree.ts'

/** The process groups that must be stopped if this process exits without closing them. */
const groups = new Set<number>()

/** Stops all groups. Runs synchronously, because no other code runs while a process exits. */
function endAll(): void {
  for (const leader of groups) send(-leader, 'SIGTERM')
}

/** Stops a process group when this process exits. Returns a function that removes this guard. */
export function endWithThisProcess(leader: number): () => void {
  if (process.platform === 'win32') return () => {}
  if (groups.size === 0) process.on('exit', endAll)
  groups.add(leader)
  return () => {
    groups.delete(leader)
    if (groups.size === 0) process.off('exit', endAll)
  }
}
