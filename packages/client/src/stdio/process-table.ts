import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { ps } from './programs.ts'

/** A running process. The pid alone does not identify it, because pids are reused. */
export interface ProcessEntry {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly started: string
  readonly marked: boolean
}

const run = promisify(execFile)
const AT_ONCE = 64
const PS_TIMEOUT_MS = 2_000
const PS_MAX_BYTES = 16 * 1024 * 1024

/** Lists all running processes except zombies. The mark, `NAME=value`, can be found only on Linux. */
export async function listProcesses(mark: string): Promise<readonly ProcessEntry[]> {
  return process.platform === 'linux' ? listLinux(mark) : listByPs()
}

async function listLinux(mark: string): Promise<readonly ProcessEntry[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found: ProcessEntry[] = []
  for (let at = 0; at < pids.length; at += AT_ONCE) {
    const entries = await Promise.all(pids.slice(at, at + AT_ONCE).map((pid) => readLinux(pid, mark)))
    found.push(...entries.filter((entry) => entry !== undefined))
  }
  return found
}

/** https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
async function readLinux(pid: string, mark: string): Promise<ProcessEntry | undefined> {
  const [stat, environment] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'latin1').catch(() => ''),
    // Reading fails for other users' processes, which the child process has not started.
    readFile(`/proc/${pid}/environ`, 'latin1').catch(() => ''),
  ])
  // The program's name is in parentheses, and may itself contain parentheses and spaces.
  const [state, parent, group, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (parent === undefined || group === undefined || state === 'Z' || state === 'X') return undefined
  return {
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    started: rest[16] ?? '',
    marked: `\0${environment}\0`.includes(`\0${mark}\0`),
  }
}

async function listByPs(): Promise<readonly ProcessEntry[]> {
  const { stdout } = await run(ps(), ['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart='], {
    timeout: PS_TIMEOUT_MS,
    maxBuffer: PS_MAX_BYTES,
  })
  return stdout.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+)$/.exec(line)
    if (match === null || match[4]?.startsWith('Z') === true) return []
    const [, pid, parent, group, , started = ''] = match
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), started, marked: false }]
  })
}
