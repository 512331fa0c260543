import { execFile } from 'node:child_process'
import process from 'node:process'
import { promisify } from 'node:util'
import { type Sample, trendOf } from '@jetway-apps/test-support'
import { program } from '@jetway-tools/runtimes/program'
import { expect, it } from 'vitest'

/** What is left after many sessions have ended. */
export interface ChurnReport {
  readonly opened: number
  readonly closed: number
  /** The number of abandoned sessions that have expired. */
  readonly expired: number
  readonly left: {
    readonly sessions: number
    readonly streams: number
    /** The streams that are still in the event store. */
    readonly events: { readonly streams: number; readonly bytes: number }
    readonly timers: number
  }
  /** The heap size in bytes, measured after various numbers of sessions. */
  readonly samples: readonly Sample[]
  readonly seconds: number
  /** The size of one idle session on the heap, in bytes. */
  readonly idleBytes: number
}

const PROGRAM = program(new URL('./churn-process.ts', import.meta.url))

export interface Churn {
  readonly sessions: number
  /** The number of sessions between two measurements of the heap. */
  readonly every: number
  /** The maximum growth of the heap per session, in bytes. */
  readonly growth: number
}

/** Defines a test that ended sessions leave nothing behind, and that idle sessions need little memory. */
export function itLeavesNothing({ sessions, every, growth }: Churn): void {
  it(
    'frees deleted and abandoned sessions, and keeps an idle session below 2 KB',
    { timeout: 600_000 },
    async ({ task }) => {
      const report = await churn(sessions, every)
      expect(report).toMatchObject({
        opened: sessions,
        closed: sessions,
        expired: sessions / 2,
        left: { sessions: 0, streams: 0, events: { streams: 0, bytes: 0 }, timers: 0 },
      })
      const { slope, upper } = trendOf(report.samples)
      const rate = Math.round(sessions / report.seconds)
      const figure = `${sessions} sessions, ${rate} a second: ${slope.toFixed(2)} bytes each, at most ${upper.toFixed(2)}`
      Object.assign(task.meta, { figure })
      expect(upper, figure).toBeLessThanOrEqual(growth)
      expect(report.idleBytes).toBeLessThan(2_048)
    },
  )
}

/** Runs the sessions in a separate process, so that the heap contains nothing else. */
async function churn(sessions: number, every: number): Promise<ChurnReport> {
  const args = ['--expose-gc', ...PROGRAM, String(sessions), String(every)]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout) as ChurnReport
}
