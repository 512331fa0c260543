import { parseArgs } from 'node:util'
import type { Timing } from './measure.ts'

/** The command-line options. */
export interface BenchOptions {
  /** Whether to run the short check for CI, which takes less than 90 s. Its result determines the exit code. */
  readonly short: boolean
  /** The prefixes of the cases to run. An empty list runs all cases. */
  readonly only: readonly string[]
  readonly json: boolean
  /** Whether to write the tables to the documentation. */
  readonly write: boolean
  readonly timing: Timing
}

const FULL: Timing = { starts: 3, rounds: 5, seconds: 0.3, warmRequests: 20_000 }
const SHORT: Timing = { starts: 1, rounds: 25, seconds: 0.2, warmRequests: 30_000 }

export const USAGE = `npm run bench -- [--short] [--only <case>]... [--json] [--write] [--starts <n>] [--rounds <n>] [--seconds <n>]

  --short    only the text tool at 16 connections and what imports cost; fails below 0.6 of the bare framework, and where
             importing Jetway costs more than importing the official SDK
  --only     cases whose name begins so, for example text, text-16, stream, modern, auth, telemetry, shared, notify, list, stdio, create, tools, imports, first, memory
  --json     the numbers as JSON instead of tables
  --write    writes the tables into docs/reference/benchmarks.md; with --only, the others stay
  --starts   how often every contender is started anew for each case
  --rounds   how often every contender is measured from its start to its end
  --seconds  how long, each time`

/** @throws TypeError for an unknown option or an invalid value */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      short: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      json: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      starts: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
    },
  })
  const { short, only, json, write, starts, rounds, seconds } = values
  const preset = short ? SHORT : FULL
  return {
    short,
    only,
    json,
    write,
    timing: {
      starts: Math.ceil(positive('starts', starts, preset.starts)),
      rounds: Math.ceil(positive('rounds', rounds, preset.rounds)),
      seconds: positive('seconds', seconds, preset.seconds),
      warmRequests: preset.warmRequests,
    },
  }
}

function positive(name: string, given: string | undefined, preset: number): number {
  const value = given === undefined ? preset : Number(given)
  if (Number.isFinite(value) && value > 0) return value
  throw new TypeError(`--${name} must be a number above 0`)
}
