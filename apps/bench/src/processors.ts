import { spawnSync } from 'node:child_process'
import { cpus } from 'node:os'

/** Servers run on the first processor and the load on the second, where there are two and Linux's `taskset`. */
const SERVERS = '0'
const LOAD = '1'
const TASKSET = 'taskset'

const canPin = process.platform === 'linux' && cpus().length > 1 && spawnSync(TASKSET, ['-V']).status === 0

/** What goes before the command line of a server. */
export const serverPrefix = (): readonly string[] => (canPin ? [TASKSET, '-c', SERVERS] : [])

/** Keeps this process, which makes the load, away from the servers. Returns whether that is possible. */
export function pinLoad(): boolean {
  if (canPin) spawnSync(TASKSET, ['-acp', LOAD, String(process.pid)])
  return canPin
}
