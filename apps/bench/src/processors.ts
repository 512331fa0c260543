import { spawnSync } from 'node:child_process'
import { cpus } from 'node:os'

/** Servers run on the first processor and the load on the second, if there are two and `taskset` exists. */
const SERVERS = '0'
const LOAD = '1'
const TASKSET = 'taskset'

const canPin = process.platform === 'linux' && cpus().length > 1 && spawnSync(TASKSET, ['-V']).status === 0

/** Returns the prefix of a server's command line. */
export const serverPrefix = (): readonly string[] => (canPin ? [TASKSET, '-c', SERVERS] : [])

/**
 * Moves this process, which produces the load, to a different processor from the servers. Returns whether
 * that worked.
 */
export function pinLoad(): boolean {
  if (canPin) spawnSync(TASKSET, ['-acp', LOAD, String(process.pid)])
  return canPin
}
