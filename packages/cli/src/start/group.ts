import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const POLL_MS = 40
const PS_TIMEOUT_MS = 2_000

/** The leaders of process groups to kill when this process exits, for example after Ctrl-C. */
const leaders = new Set<number>()

function endAll(): void {
  for (const leader of leaders) signalGroup(leader, 'SIGKILL')
}

/** Kills the group when this process exits, unless the returned function has been called. */
export function endWithThisProcess(leader: number): () => void {
  if (leaders.size === 0) process.on('exit', endAll)
  leaders.add(leader)
  return () => {
    leaders.delete(leader)
    if (leaders.size === 0) process.off('exit', endAll)
  }
}

export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  if (process.platform === 'win32') {
    const { SystemRoot = 'C:\\Windows' } = process.env
    const taskkill = `${SystemRoot}\\System32\\taskkill.exe`
    execFile(taskkill, ['/pid', String(leader), '/T', '/F'], { windowsHide: true }, () => {})
    return
  }
  try {
    process.kill(-leader, signal)
  } catch {
    // All processes of the group have exited.
  }
}

/** Returns whether any process in the group is still running. Windows has no process groups. */
function remains(leader: number): boolean {
  if (process.platform === 'win32') return false
  try {
    process.kill(-leader, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Waits until all processes in the group have exited. */
export async function groupEnds(leader: number, ms: number): Promise<boolean> {
  const until = Date.now() + ms
  while (remains(leader)) {
    if (Date.now() >= until) return false
    await sleep(POLL_MS)
  }
  return true
}

/**
 * Lists the processes in a group, such as `sleep (pid 17)`. Their arguments are omitted, because they may
 * contain secrets.
 */
export async function groupMembers(leader: number): Promise<readonly string[]> {
  const ps = existsSync('/bin/ps') ? '/bin/ps' : '/usr/bin/ps'
  try {
    const args = ['-A', '-o', 'pid=,pgid=,stat=,comm=']
    const { stdout } = await promisify(execFile)(ps, args, { timeout: PS_TIMEOUT_MS })
    return stdout.split('\n').flatMap((line) => {
      const [, pid, group, name] = /^\s*(\d+)\s+(\d+)\s+[^Z\s]\S*\s+(.+)$/.exec(line) ?? []
      return Number(group) === leader ? [`${name} (pid ${pid})`] : []
    })
  } catch {
    return []
  }
}
