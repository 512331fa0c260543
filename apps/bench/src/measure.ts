import type { Contender } from './contenders.ts'
import { type LoadResult, median, percentile } from './load/load-result.ts'
import type { ServerProcess } from './server-process.ts'

/** How long is measured. A round runs every contender once. */
export interface Timing {
  readonly rounds: number
  readonly seconds: number
  /** Requests to each contender before the first round: compilers need thousands of calls. */
  readonly warmRequests: number
}

/** A contender that is ready to be loaded. */
export interface Measured {
  readonly server: Pick<ServerProcess, 'contender' | 'cpuMicros'>
  readonly load: (seconds: number) => Promise<LoadResult>
}

interface Sample {
  readonly requestsPerSecond: number
  readonly cpuMicros: number
  readonly p50Ms: number | undefined
  readonly p99Ms: number | undefined
}

/** What a contender came to: medians over the rounds. */
export interface Row {
  readonly name: string
  readonly title: string
  readonly requestsPerSecond: number
  readonly p50Ms: number | undefined
  readonly p99Ms: number | undefined
  /** Of the server's processor time, user and system, per request. */
  readonly cpuMicros: number
  /** The same in the best round: whatever else the machine does only ever adds to it. */
  readonly leastCpuMicros: number
  readonly base?: string
  /** Requests per second of processor time, divided by the base's in the same round. */
  readonly ratio?: number
}

/** One thing that was measured. */
export interface Table {
  readonly name: string
  readonly title: string
  readonly rows: readonly Row[]
}

/** Loads the contenders in turn, so that what else the machine does hits them alike. */
export async function interleave(all: readonly Measured[], timing: Timing): Promise<Row[]> {
  const samples = new Map<string, Sample[]>(all.map(({ server }) => [server.contender.name, []]))
  for (const one of all) await warm(one, timing.warmRequests)
  for (let round = 0; round < timing.rounds; round++) {
    // Nobody always runs first after somebody else.
    const order = [...all.slice(round % all.length), ...all.slice(0, round % all.length)]
    for (const one of order) samples.get(one.server.contender.name)?.push(await sample(one, timing.seconds))
  }
  return all.map(({ server }) => toRow(server.contender, samples))
}

/** In seconds: what is slow enough to get here is not made fast by more of it. */
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

function toRow({ name, title, base }: Contender, samples: ReadonlyMap<string, readonly Sample[]>): Row {
  const own = samples.get(name) ?? []
  const bases = base === undefined ? undefined : samples.get(base)
  const over = (pick: (each: Sample) => number | undefined): number | undefined => {
    const values = own.map(pick).filter((value) => value !== undefined)
    return values.length === 0 ? undefined : median(values)
  }
  const row = {
    name,
    title,
    requestsPerSecond: median(own.map(({ requestsPerSecond }) => requestsPerSecond)),
    p50Ms: over(({ p50Ms }) => p50Ms),
    p99Ms: over(({ p99Ms }) => p99Ms),
    cpuMicros: median(own.map(({ cpuMicros }) => cpuMicros)),
    leastCpuMicros: Math.min(...own.map(({ cpuMicros }) => cpuMicros)),
  }
  if (base === undefined || bases === undefined) return row
  const ratios = own.map(({ cpuMicros }, round) => (bases[round]?.cpuMicros ?? Number.NaN) / cpuMicros)
  return { ...row, base, ratio: median(ratios) }
}
