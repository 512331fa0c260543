import { spawnSync } from 'node:child_process'
import { cpus } from 'node:os'

/**
 * If there are two processors and `taskset` exists, servers run on the first processor, and the load on the
 * second.
 */
const SERVERS = '0'
const LOAD = '1'
const TASKSET = 'taskset'

const canPin = process.platform === 'linux' && cpus().length > 1 && spawnSync(TASKSET, ['-V']).status === 0

/** Returns the prefix for a server's command line. */
export const serverPrefix = (): readonly string[] => (canPin ? [TASKSET, '-c', SERVERS] : [])

/**
 * Moves this process, which produces the load, to a different processor from the one used by the servers.
 * Returns whether that was possible.
 */
export function pinLoad(): boolean {
  if (canPin) spawnSync(TASKSET, ['-acp', LOAD, String(process.pid)])
  return canPin
}
