import { send } from './process-tree.ts'

/** Process groups to end when this process exits without closing them. */
const groups = new Set<number>()

/** Only synchronous code runs at this point. */
function endAll(): void {
  for (const leader of groups) send(-leader, 'SIGTERM')
}

/** Returns a function that undoes it. */
export function endWithThisProcess(leader: number): () => void {
  if (process.platform === 'win32') return () => {}
  if (groups.size === 0) process.on('exit', endAll)
  groups.add(leader)
  return () => {
    groups.delete(leader)
    if (groups.size === 0) process.off('exit', endAll)
  }
}
