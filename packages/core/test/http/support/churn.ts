import { execFile } from 'node:child_process'
import process from 'node:process'
import { promisify } from 'node:util'
import { program } from '@jetway-tools/runtimes/program'
import { expect, it } from 'vitest'

/** What remains after many sessions. */
export interface ChurnReport {
  readonly opened: number
  readonly closed: number
  /** Abandoned sessions that have not expired. */
  readonly alive: number
  /** In the session store. */
  readonly records: number
  /** In the event store. */
  readonly events: { readonly streams: number; readonly bytes: number }
  readonly timers: number
  /** Bytes of heap. */
  readonly grownByCycles: number
  readonly grownByAbandoned: number
  /** Bytes of heap of one idle session. */
  readonly idleBytes: number
}

const PROGRAM = program(new URL('./churn-process.ts', import.meta.url))

export interface Churn {
  /** Sessions that are used and deleted, one after the other. */
  readonly cycles: number
  /** Sessions that their clients abandon. */
  readonly abandoned: number
  /** Bytes that the heap may grow by in either part. */
  readonly growth: number
}

/** Tests that sessions leave nothing behind, and take little while they are idle. */
export function itLeavesNothing({ cycles, abandoned, growth }: Churn): void {
  it(
    'nothing is left of sessions that were deleted or abandoned, and an idle one takes less than 2 KB',
    { timeout: 120_000 },
    async () => {
      const left = await churn(cycles, abandoned)
      expect(left).toMatchObject({
        opened: cycles + abandoned,
        closed: cycles + abandoned,
        alive: abandoned,
        records: 0,
        events: { streams: 0, bytes: 0 },
        timers: 0,
      })
      expect(left.grownByCycles).toBeLessThan(growth)
      expect(left.grownByAbandoned).toBeLessThan(growth)
      expect(left.idleBytes).toBeLessThan(2_048)
    },
  )
}

/** Runs in another process, whose heap holds nothing else. */
async function churn(cycles: number, abandoned: number): Promise<ChurnReport> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    ...PROGRAM,
    String(cycles),
    String(abandoned),
  ])
  return JSON.parse(stdout) as ChurnReport
}
