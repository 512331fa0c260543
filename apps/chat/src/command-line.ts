import { parseArgs } from 'node:util'
import { UsageError } from './errors.ts'

export interface CommandLine {
  readonly help: boolean
  /** Scripts, URLs and configuration files. */
  readonly targets: readonly string[]
  /** Whether to call tools without asking the user. */
  readonly yes: boolean
  readonly api: 'anthropic' | 'openai' | undefined
  readonly model: string | undefined
  /** The maximum number of requests to the model per query. */
  readonly maxRounds: number
}

const DEFAULT_ROUNDS = 25

export const USAGE = `Usage: npm run chat -- [options] SERVER...

SERVER is a server's script (.ts, .js, .mjs, .cjs, .py, .jar), its URL (http:,
https:), or a host's configuration file (.json), whose servers are all started.

  --yes           call tools without asking
  --model NAME    the model (default: ANTHROPIC_MODEL or OPENAI_MODEL)
  --api NAME      anthropic or openai, if both are configured
  --rounds N      the most requests to the model for one query (default: ${DEFAULT_ROUNDS})
  --help          print this help

Environment variables that select the model:
  ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, ANTHROPIC_MODEL, ANTHROPIC_BASE_URL
  OPENAI_API_KEY, OPENAI_MODEL, OPENAI_BASE_URL (for compatible servers)`

/** @throws UsageError */
export function readCommandLine(argv: readonly string[]): CommandLine {
  const { values, positionals } = parse(argv)
  const { api, rounds = String(DEFAULT_ROUNDS) } = values
  if (api !== undefined && api !== 'anthropic' && api !== 'openai')
    throw new UsageError(`--api must be anthropic or openai, not "${api}"`)
  if (!/^[1-9]\d{0,3}$/.test(rounds))
    throw new UsageError(`--rounds must be a number from 1 to 9999, not "${rounds}"`)
  const help = values.help === true
  if (!help && positionals.length === 0) throw new UsageError(`Name at least one server.\n\n${USAGE}`)
  return {
    help,
    targets: positionals,
    yes: values.yes === true,
    api,
    model: values.model,
    maxRounds: Number(rounds),
  }
}

// oxlint-disable-next-line typescript/explicit-function-return-type -- the type would repeat all options
function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        yes: { type: 'boolean' },
        model: { type: 'string' },
        api: { type: 'string' },
        rounds: { type: 'string' },
        help: { type: 'boolean' },
      },
    })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
