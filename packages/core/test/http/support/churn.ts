import { execFile } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** What is left after many sessions. */
export interface ChurnReport {
  readonly opened: number
  readonly closed: number
  /** Sessions that were left behind and are not expired yet. */
  readonly alive: number
  /** In the session store. */
  readonly records: number
  /** In the event store. */
  readonly events: { readonly streams: number; readonly bytes: number }
  readonly timers: number
  /** Bytes of heap. */
  readonly grownByCycles: number
  readonly grownByAbandoned: number
}

const PROGRAM = fileURLToPath(new URL('./churn-process.ts', import.meta.url))

/** In a process of its own, whose heap holds nothing else. */
export async function churn(cycles: number, abandoned: number): Promise<ChurnReport> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    '--conditions=jetway:source',
    '--import',
    import.meta.resolve('tsx'),
    PROGRAM,
    String(cycles),
    String(abandoned),
  ])
  return JSON.parse(stdout) as ChurnReport
}
