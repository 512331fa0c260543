import { parseArgs } from 'node:util'
import type { CommandIo, CommandOptions } from './command.ts'
import { Failure, Misuse } from './failure.ts'
import { GENERAL_HELP, SCHEMAS_HELP } from './help.ts'
import { buildSchemas } from './schemas-build.ts'
import { checkSchemas } from './schemas-check.ts'
import { version } from './version.ts'

const COMMANDS: Readonly<Record<string, (options: CommandOptions, io: CommandIo) => Promise<number>>> = {
  build: buildSchemas,
  check: checkSchemas,
}

/**
 * Runs a command line as the command `jetway` does. Loading a server's file runs it.
 *
 * @param args - what stands after `jetway`
 * @returns the exit code: 0 where all is well, 1 where it is not, 2 for a command line that cannot be understood
 */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  try {
    return await dispatch(args, io)
  } catch (error) {
    if (error instanceof Misuse) {
      io.err(`${error.message}\n\nRun "jetway --help" for what there is.`)
      return 2
    }
    if (!(error instanceof Failure)) throw error
    io.err(error.message)
    return 1
  }
}

async function dispatch(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = parse(args)
  const [group, name, server, ...more] = positionals
  if (values.version === true) {
    io.out(version())
    return 0
  }
  if (values.help === true || group === undefined) {
    io.out(group === 'schemas' ? SCHEMAS_HELP : GENERAL_HELP)
    return values.help === true ? 0 : 2
  }
  if (group !== 'schemas') throw new Misuse(`There is no command ${JSON.stringify(group)}.`)
  const command = name === undefined || !Object.hasOwn(COMMANDS, name) ? undefined : COMMANDS[name]
  if (command === undefined)
    throw new Misuse(
      name === undefined
        ? '"jetway schemas" needs a command: build or check.'
        : `There is no command ${JSON.stringify(`schemas ${name}`)}, only "schemas build" and "schemas check".`,
    )
  if (more.length > 0) throw new Misuse(`One server at a time: what is ${JSON.stringify(more[0])}?`)
  return command({ server, name: values.export, out: values.out }, io)
}

interface Parsed {
  readonly values: {
    readonly help?: boolean
    readonly version?: boolean
    readonly out: string
    readonly export?: string
  }
  readonly positionals: readonly string[]
}

function parse(args: readonly string[]): Parsed {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
        out: { type: 'string', short: 'o', default: 'schemas' },
        export: { type: 'string', short: 'e' },
      },
    })
  } catch (error) {
    throw new Misuse(error instanceof Error ? error.message : String(error))
  }
}
