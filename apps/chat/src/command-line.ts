import { parseArgs } from 'node:util'
import { UsageError } from './errors.ts'

export interface CommandLine {
  readonly help: boolean
  /** Scripts, addresses and configuration files. */
  readonly targets: readonly string[]
  /** Whether tools are called without asking. */
  readonly yes: boolean
  readonly api: 'anthropic' | 'openai' | undefined
  readonly model: string | undefined
  /** How often the model may be asked for one query. */
  readonly rounds: number
}

const DEFAULT_ROUNDS = 25

export const USAGE = `Usage: npm run chat -- [options] SERVER...

SERVER is what runs as a server of its own (.ts, .js, .mjs, .cjs, .py, .jar),
the address of one (http:, https:), or a host's configuration file (.json),
all of whose servers are started.

  --yes           call tools without asking
  --model NAME    the model (default ANTHROPIC_MODEL or OPENAI_MODEL)
  --api NAME      anthropic or openai, where the environment has both
  --rounds N      how often the model may be asked for one query (default ${DEFAULT_ROUNDS})
  --help          show this

The environment says where the model is:
  ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, ANTHROPIC_MODEL, ANTHROPIC_BASE_URL
  OPENAI_API_KEY, OPENAI_MODEL, OPENAI_BASE_URL (for servers that speak its API)`

/** @throws UsageError */
export function readCommandLine(argv: readonly string[]): CommandLine {
  const { values, positionals } = parse(argv)
  const { api, rounds = String(DEFAULT_ROUNDS) } = values
  if (api !== undefined && api !== 'anthropic' && api !== 'openai')
    throw new UsageError(`--api is anthropic or openai, not "${api}"`)
  if (!/^[1-9]\d{0,3}$/.test(rounds))
    throw new UsageError(`--rounds is a number from 1 to 9999, not "${rounds}"`)
  const help = values.help === true
  if (!help && positionals.length === 0) throw new UsageError(`Name a server to talk to.\n\n${USAGE}`)
  return {
    help,
    targets: positionals,
    yes: values.yes === true,
    api,
    model: values.model,
    rounds: Number(rounds),
  }
}

// oxlint-disable-next-line typescript/explicit-function-return-type -- the type says all options once more
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
