import { execFile } from 'node:child_process'
import { listProcesses, type ProcessEntry } from './process-table.ts'
import { taskkill } from './programs.ts'

/** A variable that all descendants inherit, so that they can be found even if their parent has exited. */
const MARK = 'JETWAY_SERVER_PROCESS'

/** A process and its descendants. */
export interface ProcessTree {
  remains(): Promise<boolean>
  /** Sends a signal to each process exactly once. */
  signal(signal: NodeJS.Signals): Promise<void>
}

export function createMark(): { readonly name: string; readonly value: string } {
  return { name: MARK, value: crypto.randomUUID() }
}

/** @param hasEnded - whether the leader has exited, so that its pid may be reused */
export function processTree(leader: number, mark: string, hasEnded: () => boolean): ProcessTree {
  return process.platform === 'win32' ? windowsTree(leader, hasEnded) : posixTree(leader, `${MARK}=${mark}`)
}

function posixTree(leader: number, mark: string): ProcessTree {
  /**
   * The processes found so far. Each process remains in the list until it exits, even after its parent has
   * exited.
   */
  let known: readonly ProcessEntry[] = []

  async function members(): Promise<readonly ProcessEntry[]> {
    const all = await listProcesses(mark)
    const ours = new Set<number>()
    for (const entry of all) {
      if (entry.group === leader || entry.marked || isKnown(entry, known)) ours.add(entry.pid)
    }
    for (let before = -1; before !== ours.size;) {
      before = ours.size
      for (const { pid, parent } of all) if (ours.has(parent)) ours.add(pid)
    }
    known = all.filter(({ pid }) => ours.has(pid))
    return known
  }

  return {
    remains: async () => (await members()).length > 0,
    async signal(signal) {
      const targets = await members()
      // The whole group receives a single signal, so that no member can start another process in between.
      if (targets.some(({ group }) => group === leader)) send(-leader, signal)
      for (const { pid, group } of targets) if (group !== leader) send(pid, signal)
    },
  }
}

const isKnown = (entry: ProcessEntry, known: readonly ProcessEntry[]): boolean =>
  known.some(({ pid, started }) => pid === entry.pid && started === entry.started)

/**
 * Creates a process tree that is terminated with `taskkill`, because Windows cannot send signals to other
 * processes.
 */
function windowsTree(leader: number, hasEnded: () => boolean): ProcessTree {
  let ended = false
  return {
    remains: () => Promise.resolve(!ended && !hasEnded()),
    signal: () =>
      new Promise((resolve) => {
        ended = true
        execFile(taskkill(), ['/pid', String(leader), '/T', '/F'], { windowsHide: true }, () => resolve())
      }),
  }
}

export function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal)
  } catch {
    // The process has exited.
  }
}
