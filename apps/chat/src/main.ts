import process from 'node:process'
import { ConfigFileError } from '@jetway/client/config'
import { Chat } from './chat.ts'
import { readCommandLine, USAGE } from './command-line.ts'
import { UsageError } from './errors.ts'
import { modelFrom } from './model/from-environment.ts'
import { serversOf } from './servers/targets.ts'
import { Terminal } from './terminal/terminal.ts'
import { askForInput } from './terminal/input.ts'
import { shown } from './terminal/text.ts'

/** What a shell reads of a process that Ctrl-C has ended. */
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
  const { help, targets, yes, api, model: name, rounds } = readCommandLine(argv)
  if (help) {
    process.stdout.write(`${USAGE}\n`)
    return 0
  }
  const model = modelFrom(process.env, { api, model: name })
  let running: Chat | undefined
  const interrupt = (): void => {
    // Servers that take their time are told to end as this process goes.
    if (running === undefined || running.isOver) process.exit(INTERRUPTED)
    running.interrupt()
  }
  const terminal = new Terminal({ input: process.stdin, output: process.stdout, onInterrupt: interrupt })
  const end = (): void => running?.end()
  process.on('SIGTERM', end).on('SIGHUP', end)
  try {
    const servers = await serversOf(targets, {
      warn: (text) => log(shown(text)),
      input: (input) => askForInput(terminal, input),
    })
    running = new Chat({ servers, model, terminal, rounds, yes, log })
    const met = await running.run()
    if (!met) log('No server could be connected.')
    return met ? 0 : 1
  } finally {
    process.off('SIGTERM', end).off('SIGHUP', end)
    terminal.close()
  }
}
