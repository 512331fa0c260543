import type { Contender } from './contenders.ts'
import type { Client } from './load/http-load.ts'
import { type LoadResult, percentile } from './load/load-result.ts'
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
  /** Whether the client may sleep between replies in rounds without a profile. @default 'awake' */
  readonly client?: Client
  /** The number of rounds with a CPU profile. These rounds come last, because a profile costs time. */
  readonly profiles: number
  /** The common prefix of the profiles' paths. Undefined if the profiles are not stored. */
  readonly profilePath?: string
}

/** A running contender. */
export interface Measured {
  readonly server: Pick<ServerProcess, 'contender' | 'cpuMicros' | 'profile'>
  readonly load: (seconds: number, client?: Client) => Promise<LoadResult>
}

/** The results of one start of a contender, listed by round. */
export interface Run {
  readonly contender: Contender
  readonly samples: readonly Sample[]
  /**
   * The ratio of the total CPU time to the time spent in system calls that write to sockets, for each
   * profiled round. Every server makes the same system calls for a reply, so their duration serves as the
   * unit.
   */
  readonly perWrite: readonly number[]
}

/** The results of one round. */
export interface Sample {
  readonly requestsPerSecond: number
  readonly cpuMicros: number
  readonly p50Ms: number | undefined
  readonly p99Ms: number | undefined
}

/** The length of a round with a profile, in seconds. It is long enough for a few thousand samples. */
const PROFILED_SECONDS = 1

interface Collected {
  readonly measured: Measured
  readonly samples: Sample[]
  readonly perWrite: number[]
}

/** Loads the contenders in turn, so that other activity on the machine affects all of them equally. */
export function interleave(all: readonly Measured[], timing: Omit<Timing, 'starts'>): Promise<Run[]> {
  return inRounds(all, timing, async (order, measure) => {
    for (const one of order) await measure(one)
  })
}

/**
 * Loads all contenders at the same time. They share one processor, so each one finds the processor's caches
 * filled with data from the others.
 */
export function together(all: readonly Measured[], timing: Omit<Timing, 'starts'>): Promise<Run[]> {
  return inRounds(all, timing, async (order, measure) => {
    await Promise.all(order.map(measure))
  })
}

async function inRounds(
  all: readonly Measured[],
  timing: Omit<Timing, 'starts'>,
  round: (order: readonly Collected[], measure: (one: Collected) => Promise<unknown>) => Promise<void>,
): Promise<Run[]> {
  const runs = all.map((measured): Collected => ({ measured, samples: [], perWrite: [] }))
  for (const one of all) await warm(one, timing.warmRequests)
  // The order rotates, so that a contender does not always follow the same one.
  const order = (at: number): Collected[] => [
    ...runs.slice(at % runs.length),
    ...runs.slice(0, at % runs.length),
  ]
  for (let at = 0; at < timing.rounds; at++)
    await round(order(at), async ({ measured, samples }) => samples.push(await sample(measured, timing)))
  for (let at = 0; at < timing.profiles; at++)
    await round(order(at), async ({ measured, perWrite }) =>
      perWrite.push(await profiled(measured, at, timing.profilePath)),
    )
  return runs.map(({ measured: { server }, ...results }) => ({ contender: server.contender, ...results }))
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

async function sample(
  { server, load }: Measured,
  { seconds, client }: Pick<Timing, 'seconds' | 'client'>,
): Promise<Sample> {
  const before = await server.cpuMicros()
  const result = await load(seconds, client)
  const spent = (await server.cpuMicros()) - before
  return {
    requestsPerSecond: result.completed / result.seconds,
    cpuMicros: spent / result.completed,
    p50Ms: percentile(result.latencies, 0.5),
    p99Ms: percentile(result.latencies, 0.99),
  }
}

async function profiled({ server, load }: Measured, round: number, path?: string): Promise<number> {
  const file = path === undefined ? undefined : `${path}${server.contender.name}-${round}.cpuprofile`
  const { busy, write } = await server.profile(() => load(PROFILED_SECONDS, 'natural'), file)
  return busy / write
}
