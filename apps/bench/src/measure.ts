import type { Contender } from './contenders.ts'
import { type LoadResult, median, percentile } from './load/load-result.ts'
import type { ServerProcess } from './server-process.ts'

/** The duration of a measurement. A round runs each contender once. */
export interface Timing {
  /**
   * How many times each contender is started. If a process is slow from the start because of the compiler or
   * its memory layout, it remains slow.
   */
  readonly starts: number
  readonly rounds: number
  readonly seconds: number
  /** The number of warm-up requests to each contender. Compilers need thousands of calls. */
  readonly warmRequests: number
}

/** A running contender. */
export interface Measured {
  readonly server: Pick<ServerProcess, 'contender' | 'cpuMicros'>
  readonly load: (seconds: number) => Promise<LoadResult>
}

/** The results of one start of a contender, by round. */
export interface Run {
  readonly contender: Contender
  readonly samples: readonly Sample[]
}

interface Sample {
  readonly requestsPerSecond: number
  readonly cpuMicros: number
  readonly p50Ms: number | undefined
  readonly p99Ms: number | undefined
}

/** A contender's medians over the rounds of all its starts. */
export interface Row {
  readonly name: string
  readonly title: string
  readonly requestsPerSecond: number
  readonly p50Ms: number | undefined
  readonly p99Ms: number | undefined
  /** The server's processor time per request, user and system. */
  readonly cpuMicros: number
  /** The processor time per request in the best round. Other work on the machine can only increase it. */
  readonly leastCpuMicros: number
  readonly base?: string
  /** Requests per second of processor time, divided by the baseline's value in the same round. */
  readonly ratio?: number
  /** The ratios of the worst and the best start. Undefined for a single start. */
  readonly between?: readonly [least: number, most: number]
}

/** One measured case. */
export interface Table {
  readonly name: string
  readonly title: string
  readonly rows: readonly Row[]
}

/** Loads the contenders in turn, so that other work on the machine affects all of them equally. */
export async function interleave(
  all: readonly Measured[],
  timing: Pick<Timing, 'rounds' | 'seconds' | 'warmRequests'>,
): Promise<Run[]> {
  const runs = all.map((measured) => ({ measured, samples: [] as Sample[] }))
  for (const one of all) await warm(one, timing.warmRequests)
  for (let round = 0; round < timing.rounds; round++) {
    // The order rotates, so that no contender always follows the same other one.
    const order = [...runs.slice(round % runs.length), ...runs.slice(0, round % runs.length)]
    for (const { measured, samples } of order) samples.push(await sample(measured, timing.seconds))
  }
  return runs.map(({ measured, samples }) => ({ contender: measured.server.contender, samples }))
}

/** The maximum duration of a warm-up, in seconds. A slower contender does not need more. */
const LONGEST_WARM_UP = 5
const WARM_STEP = 0.25

async function warm({ load }: Measured, requests: number): Promise<void> {
  let seconds = 0
  for (let sent = 0; sent < requests && seconds < LONGEST_WARM_UP;) {
    const result = await load(WARM_STEP)
    sent += result.completed
    seconds += result.seconds
  }
}

async function sample({ server, load }: Measured, seconds: number): Promise<Sample> {
  const before = await server.cpuMicros()
  const result = await load(seconds)
  const spent = (await server.cpuMicros()) - before
  return {
    requestsPerSecond: result.completed / result.seconds,
    cpuMicros: spent / result.completed,
    p50Ms: percentile(result.latencies, 0.5),
    p99Ms: percentile(result.latencies, 0.99),
  }
}

/**
 * Summarises all starts. A contender that did not run in every start is compared with its baseline's results
 * from the same starts.
 */
export function summarise(starts: readonly (readonly Run[])[]): Row[] {
  return (starts[0] ?? []).map(({ contender }) => toRow(contender, starts))
}

const runOf = (runs: readonly Run[], name: string): Run | undefined =>
  runs.find(({ contender }) => contender.name === name)

function toRow({ name, title, base }: Contender, starts: readonly (readonly Run[])[]): Row {
  const all = starts.flatMap((runs) => runOf(runs, name)?.samples ?? [])
  const over = (pick: (each: Sample) => number | undefined): number | undefined => {
    const values = all.map(pick).filter((value) => value !== undefined)
    return values.length === 0 ? undefined : median(values)
  }
  const row = {
    name,
    title,
    requestsPerSecond: median(all.map(({ requestsPerSecond }) => requestsPerSecond)),
    p50Ms: over(({ p50Ms }) => p50Ms),
    p99Ms: over(({ p99Ms }) => p99Ms),
    cpuMicros: median(all.map(({ cpuMicros }) => cpuMicros)),
    leastCpuMicros: Math.min(...all.map(({ cpuMicros }) => cpuMicros)),
  }
  if (base === undefined) return row
  const ratios = starts.map((runs) => ratiosIn(runs, name, base)).filter(({ length }) => length > 0)
  // A baseline has no ratio to itself.
  if (ratios.length === 0) return row
  const medians = ratios.map(median)
  return {
    ...row,
    base,
    ratio: median(ratios.flat()),
    ...(medians.length > 1 && { between: [Math.min(...medians), Math.max(...medians)] as const }),
  }
}

function ratiosIn(runs: readonly Run[], name: string, base: string): number[] {
  const bases = runOf(runs, base)?.samples
  const own = runOf(runs, name)?.samples
  if (bases === undefined || own === undefined) return []
  return own.map(({ cpuMicros }, round) => (bases[round]?.cpuMicros ?? Number.NaN) / cpuMicros)
}
