import type { Contender } from './contenders.ts'
import { median } from './load/load-result.ts'
import type { Run, Sample } from './measure.ts'

/** A contender's figure divided by its baseline's. A value above 1 is better than the baseline. */
export interface Compared {
  readonly ratio: number
  /** The ratios of the worst and the best start. Undefined for a single start. */
  readonly between?: readonly [least: number, most: number]
}

/** The medians of a contender's results over all rounds and starts. */
export interface Row {
  readonly name: string
  readonly title: string
  readonly requestsPerSecond: number
  readonly p50Ms?: number
  readonly p99Ms?: number
  /** The server's processor time per request, user and system. */
  readonly cpuMicros: number
  /** The processor time per request in the best round. Other work on the machine can only increase it. */
  readonly leastCpuMicros: number
  /** The processor time divided by the time of the write system calls. Undefined if no profile was taken. */
  readonly perWrite?: number
  readonly base?: string
  /** Compares {@link perWrite}. */
  readonly byWrite?: Compared
  /** Compares requests per second of processor time. */
  readonly byCpu?: Compared
  /** Compares requests per second. */
  readonly byRate?: Compared
}

/** One measured case. */
export interface Table {
  readonly name: string
  readonly title: string
  /**
   * Whether the servers wait for another process, so that their throughput is more meaningful than their
   * processor time.
   */
  readonly waits?: boolean
  readonly rows: readonly Row[]
}

/**
 * Summarises all starts. A contender that did not run in every start is compared with its baseline in the same starts.
 */
export function summarise(starts: readonly (readonly Run[])[]): Row[] {
  return (starts[0] ?? []).map(({ contender }) => toRow(contender, starts))
}

const runOf = (runs: readonly Run[], name: string): Run | undefined =>
  runs.find(({ contender }) => contender.name === name)

/** The figures that are compared. Each is a cost: the baseline's is divided by the contender's. */
const COSTS: Readonly<Record<'byWrite' | 'byCpu' | 'byRate', (run: Run) => readonly number[]>> = {
  byWrite: ({ perWrite }) => perWrite,
  byCpu: ({ samples }) => samples.map(({ cpuMicros }) => cpuMicros),
  byRate: ({ samples }) => samples.map(({ requestsPerSecond }) => 1 / requestsPerSecond),
}

function toRow({ name, title, base }: Contender, starts: readonly (readonly Run[])[]): Row {
  const runs = starts.flatMap((start) => runOf(start, name) ?? [])
  const all = runs.flatMap(({ samples }) => samples)
  const perWrite = runs.flatMap((run) => run.perWrite)
  return {
    name,
    title,
    requestsPerSecond: median(all.map(({ requestsPerSecond }) => requestsPerSecond)),
    ...percentiles(all),
    cpuMicros: median(all.map(({ cpuMicros }) => cpuMicros)),
    leastCpuMicros: Math.min(...all.map(({ cpuMicros }) => cpuMicros)),
    ...(perWrite.length > 0 && { perWrite: median(perWrite) }),
    ...(base !== undefined && compareAll(starts, name, base)),
  }
}

function percentiles(all: readonly Sample[]): Pick<Row, 'p50Ms' | 'p99Ms'> {
  const p50s = all.flatMap(({ p50Ms }) => p50Ms ?? [])
  const p99s = all.flatMap(({ p99Ms }) => p99Ms ?? [])
  return p50s.length === 0 ? {} : { p50Ms: median(p50s), p99Ms: median(p99s) }
}

function compareAll(
  starts: readonly (readonly Run[])[],
  name: string,
  base: string,
): Partial<Pick<Row, 'base' | keyof typeof COSTS>> {
  const compared = Object.entries(COSTS).flatMap(([figure, costs]) => {
    const ratios = starts.map((runs) => ratiosIn(runs, name, base, costs)).filter(({ length }) => length > 0)
    return ratios.length === 0 ? [] : [[figure, compare(ratios)] as const]
  })
  // There is no ratio if the baseline did not run.
  return compared.length === 0 ? {} : { base, ...Object.fromEntries(compared) }
}

function compare(ratios: readonly (readonly number[])[]): Compared {
  const medians = ratios.map(median)
  return {
    ratio: median(ratios.flat()),
    ...(medians.length > 1 && { between: [Math.min(...medians), Math.max(...medians)] }),
  }
}

/** The ratios by round. Only results of the same round are compared. */
function ratiosIn(
  runs: readonly Run[],
  name: string,
  base: string,
  costs: (run: Run) => readonly number[],
): number[] {
  const bases = runOf(runs, base)
  const own = runOf(runs, name)
  if (bases === undefined || own === undefined) return []
  const baseCosts = costs(bases)
  return costs(own).map((cost, round) => (baseCosts[round] ?? Number.NaN) / cost)
}
