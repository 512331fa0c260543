import process from 'node:process'
import { ConfigFileError } from '@jetway/client/config'
import { Chat } from './chat.ts'
import { readCommandLine, USAGE } from './command-line.ts'
import { UsageError } from './errors.ts'
import { modelFromEnvironment } from './model/from-environment.ts'
import { resolveTargets } from './servers/targets.ts'
import { askForInput, sanitize, Terminal } from '@jetway-apps/terminal'

/** The exit code that shells use for a process terminated by SIGINT: 128 + 2. */
const INTERRUPTED = 130

const log = (line: string): void => void process.stderr.write(`${line}\n`)

process.exitCode = await main(process.argv.slice(2))

async function main(argv: readonly string[]): Promise<number> {
  try {
    return await chat(argv)
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof ConfigFileError)) throw error
    log(error.message)
    return 2
  }
}

async function chat(argv: readonly string[]): Promise<number> {
  const { help, targets, yes, api, model: name, maxRounds } = readCommandLine(argv)
  if (help) {
    process.stdout.write(`${USAGE}\n`)
    return 0
  }
  const model = modelFromEnvironment(process.env, { api, model: name })
  let running: Chat | undefined
  const interrupt = (): void => {
    // The app does not wait for servers that are slow to exit, because they exit when this process does.
    if (running === undefined || running.isEnding) process.exit(INTERRUPTED)
    running.interrupt()
  }
  const terminal = new Terminal({ input: process.stdin, output: process.stdout, onInterrupt: interrupt })
  const end = (): void => running?.end()
  process.on('SIGTERM', end).on('SIGHUP', end)
  try {
    const servers = await resolveTargets(targets, {
      warn: (text) => log(sanitize(text)),
      input: (input) => askForInput(terminal, input),
    })
    running = new Chat({ servers, model, terminal, maxRounds, yes, log })
    const connected = await running.run()
    if (!connected) log('No server could be connected.')
    return connected ? 0 : 1
  } finally {
    process.off('SIGTERM', end).off('SIGHUP', end)
    terminal.close()
  }
}
