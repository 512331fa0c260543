import process from 'node:process'
import { COMMANDS } from './commands.ts'
import { CliError, usageError } from './errors.ts'
import { EXIT, type ExitCode } from './exit-codes.ts'
import { SERVER_PROCESS } from './dev/process/server-process.ts'
import { commandHelp, generalHelp } from './help.ts'
import { nearest, parseArguments } from './parse.ts'
import { processStreams, type Streams, Terminal } from './terminal.ts'
import { ownVersion } from './version.ts'

/** Runs the command line of this process, and sets its exit code. */
export async function main(): Promise<void> {
  const [name, job = ''] = process.argv.slice(2)
  if (name === SERVER_PROCESS) return (await import('./dev/process/harness.ts')).runServerProcess(job)
  // `jetway list … | head` closes the pipe early. This is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(EXIT.ok)
  })
  process.exitCode = await runCommandLine(process.argv.slice(2), processStreams())
}

/** Runs a command line. Prints errors, and never throws. */
export async function runCommandLine(argv: readonly string[], streams: Streams): Promise<ExitCode> {
  const end = argv.indexOf('--')
  const own = end < 0 ? argv : argv.slice(0, end)
  // With `--json`, errors in the command line must also be printed as JSON.
  const terminal = new Terminal(streams, {
    json: own.includes('--json'),
    yes: own.includes('--yes') || own.includes('-y'),
  })
  try {
    return (await run(argv, terminal)) ?? EXIT.ok
  } catch (error) {
    terminal.error(error)
    return error instanceof CliError ? error.exitCode : EXIT.failed
  }
}

async function run([name, ...args]: readonly string[], terminal: Terminal): Promise<ExitCode | void> {
  if (name === undefined) {
    terminal.note(generalHelp())
    return EXIT.usage
  }
  if (name === '--help' || name === '-h' || name === 'help') return terminal.print(generalHelp())
  if (name === '--version' || name === '-v') return terminal.print(ownVersion())
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (entry === undefined) throw await unknownCommand(name)
  const command = await entry.load()
  const parsed = await parseArguments(args, command.options)
  if (parsed.values['help'] === true) return terminal.print(commandHelp(name, entry.summary, command))
  return command.run(parsed, terminal)
}

async function unknownCommand(name: string): Promise<CliError> {
  if (name.startsWith('-')) return usageError(`Unknown option ${name}`, 'The command comes first')
  const near = await nearest(name, Object.keys(COMMANDS))
  const hint = near === undefined ? 'jetway --help lists the commands' : `Did you mean jetway ${near}?`
  return usageError(`Unknown command ${name}`, hint)
}
