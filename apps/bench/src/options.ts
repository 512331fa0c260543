import { parseArgs } from 'node:util'
import type { Timing } from './measure.ts'

/** The options of the command line. */
export interface BenchOptions {
  /** Whether to run the short check for CI in less than 90 s. The exit code is its result. */
  readonly short: boolean
  /** The prefixes of the cases to run. An empty list runs all cases. */
  readonly only: readonly string[]
  readonly json: boolean
  /** Whether to write the results into the repository, and the tables and plots into the documentation. */
  readonly write: boolean
  /** Whether to write the page and the plots again from the results of earlier runs, and measure nothing. */
  readonly redraw: boolean
  readonly timing: Timing
}

const FULL: Timing = { starts: 3, rounds: 5, seconds: 0.3, warmRequests: 20_000, profiles: 2 }
const SHORT: Timing = { starts: 1, rounds: 25, seconds: 0.2, warmRequests: 30_000, profiles: 0 }

export const USAGE = `npm run bench -- [--short] [--only <case>]... [--json] [--write] [--redraw] [--starts <n>] [--rounds <n>] [--seconds <n>] [--profiles <folder>]

  --short    only the text tool at 16 connections and what imports cost; fails below 0.6 of the bare framework, and where
             importing Jetway costs more than importing the official SDK
  --only     cases whose name begins so, or with a number the case of this name, for example text, text-16, stream, modern, cold, auth, telemetry, shared, notify, list, stdio, create, tools, imports, first, memory
  --json     the numbers as JSON instead of tables
  --write    writes apps/bench/results.json, and from it the tables of docs/reference/benchmarks.md and the plots;
             with --only, the other results stay
  --redraw   writes the tables and the plots from apps/bench/results.json, and measures nothing
  --starts   how often every contender is started anew for each case
  --rounds   how often every contender is measured from its start to its end
  --seconds  how long, each time
  --profiles an existing folder for the CPU profiles, which browsers' developer tools open`

/** @throws TypeError for an unknown option or an invalid value */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      short: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      json: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      redraw: { type: 'boolean', default: false },
      profiles: { type: 'string' },
      starts: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
    },
  })
  const { short, only, json, write, redraw, starts, rounds, seconds, profiles } = values
  const preset = short ? SHORT : FULL
  return {
    short,
    only,
    json,
    write,
    redraw,
    timing: {
      ...preset,
      starts: Math.ceil(positive('starts', starts, preset.starts)),
      rounds: Math.ceil(positive('rounds', rounds, preset.rounds)),
      seconds: positive('seconds', seconds, preset.seconds),
      ...(profiles !== undefined && { profilePath: `${profiles}/` }),
    },
  }
}

function positive(name: string, given: string | undefined, preset: number): number {
  const value = given === undefined ? preset : Number(given)
  if (Number.isFinite(value) && value > 0) return value
  throw new TypeError(`--${name} must be a number above 0`)
}
