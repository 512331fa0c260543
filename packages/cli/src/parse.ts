import { parseArgs } from 'node:util'
import type { Arguments, OptionSpec, OptionSpecs } from './command.ts'
import { usageError } from './errors.ts'

/** The options of every command. */
export const COMMON_OPTIONS: OptionSpecs = {
  json: { type: 'boolean', help: 'print one JSON document; errors too, on stderr' },
  yes: { type: 'boolean', short: 'y', help: 'ask nothing' },
  help: { type: 'boolean', short: 'h', help: 'print this text' },
}

/**
 * Parses the arguments after a command's name.
 *
 * @throws CliError for an unknown option, and for an option without its value
 */
export async function parseArguments(argv: readonly string[], own: OptionSpecs): Promise<Arguments> {
  const options: OptionSpecs = { ...own, ...COMMON_OPTIONS }
  const end = argv.indexOf('--')
  const { values, positionals, tokens } = parseArgs({
    args: argv.slice(0, end < 0 ? argv.length : end),
    options,
    // Node.js errors do not suggest a similar option.
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  for (const token of tokens)
    if (token.kind === 'option') {
      const spec = Object.hasOwn(options, token.name) ? options[token.name] : undefined
      if (spec === undefined) throw await unknownOption(token.rawName, Object.keys(options))
      checkValue(token, spec)
    }
  return { values, positionals, rest: end < 0 ? undefined : argv.slice(end + 1) }
}

interface GivenOption {
  readonly rawName: string
  readonly value: string | undefined
}

function checkValue({ rawName, value }: GivenOption, { type, placeholder }: OptionSpec): void {
  if (type === 'boolean' && value !== undefined) throw usageError(`${rawName} takes no value`)
  if (type === 'string' && value === undefined) throw usageError(`${rawName} needs a value: ${placeholder}`)
}

async function unknownOption(given: string, known: readonly string[]): Promise<Error> {
  const near = await nearest(given.replace(/^-+/, ''), known)
  return usageError(
    `Unknown option ${given}`,
    near === undefined ? undefined : `Did you mean --${near}? Put words that begin with - after --`,
  )
}

/**
 * Returns the most similar known name. The module is imported on demand, because it is needed only for an
 * invalid command line.
 */
export async function nearest(name: string, known: readonly string[]): Promise<string | undefined> {
  const { nearestName } = await import('@jetway/core/protocol')
  return nearestName(name, known)
}
