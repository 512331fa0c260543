import { execFile } from 'node:child_process'
import { listProcesses, type ProcessEntry } from './process-table.ts'

/** In the environment of everything that a child starts, so that it is found when whoever started it has gone. */
const MARK = 'JETWAY_SERVER_PROCESS'

/** All that is left of a started process: itself, its group, what they have started, and what that has started. */
export interface ProcessTree {
  /** Whether anything of it runs. */
  remains(): Promise<boolean>
  /** Sends a signal, once, to each that runs. */
  signal(signal: NodeJS.Signals): Promise<void>
}

/** The variable by which a tree is recognised. */
export function createMark(): { readonly name: string; readonly value: string } {
  return { name: MARK, value: crypto.randomUUID() }
}

/** The tree below a process of this machine. `hasEnded`: whether the process itself has, and its pid may be another's. */
export function processTree(leader: number, mark: string, hasEnded: () => boolean): ProcessTree {
  return process.platform === 'win32' ? windowsTree(leader, hasEnded) : posixTree(leader, `${MARK}=${mark}`)
}

function posixTree(leader: number, mark: string): ProcessTree {
  /** Once found, a process stays found: whoever links it to the tree may end before it does. */
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
      // The group hears of it at once, so that nobody in it starts another meanwhile.
      if (targets.some(({ group }) => group === leader)) send(-leader, signal)
      for (const { pid, group } of targets) if (group !== leader) send(pid, signal)
    },
  }
}

const isKnown = (entry: ProcessEntry, known: readonly ProcessEntry[]): boolean =>
  known.some(({ pid, started }) => pid === entry.pid && started === entry.started)

/** Windows has no signals for others: a process that has not gone by itself is ended, with all below it. */
function windowsTree(leader: number, hasEnded: () => boolean): ProcessTree {
  let ended = false
  return {
    remains: () => Promise.resolve(!ended && !hasEnded()),
    signal: () =>
      new Promise((resolve) => {
        ended = true
        execFile('taskkill', ['/pid', String(leader), '/T', '/F'], { windowsHide: true }, () => resolve())
      }),
  }
}

export function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal)
  } catch {
    // It has gone meanwhile.
  }
}
