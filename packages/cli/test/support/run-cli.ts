import { PassThrough, Writable } from 'node:stream'
import type { ExitCode } from '../../src/exit-codes.ts'
import { runCommandLine } from '../../src/main.ts'

export interface CliOptions {
  /** Whether all three streams are connected to a terminal. */
  readonly isTTY?: boolean
  readonly env?: Readonly<Record<string, string>>
  /**
   * The answers. They are typed one after another, each at a prompt. A function is called when its prompt
   * appears, and returns the text to type.
   */
  readonly answers?: readonly Answer[]
}

export type Answer = string | (() => string)

export interface CliRun {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: ExitCode
}

/** Runs a command line in this process. */
export async function runCli(
  argv: readonly string[],
  { isTTY = false, env = {}, answers = [] }: CliOptions = {},
): Promise<CliRun> {
  const stdin = Object.assign(new PassThrough(), { isTTY })
  const lines = [...answers]
  const stdout = collector(isTTY)
  const stderr = collector(isTTY, (text) => {
    if (!text.endsWith('> ') || lines.length === 0) return
    const answer = lines.shift()
    setImmediate(() => stdin.write(`${typeof answer === 'function' ? answer() : answer}\n`))
  })
  const exitCode = await runCommandLine(argv, { stdin, stdout: stdout.stream, stderr: stderr.stream, env })
  return { stdout: stdout.text(), stderr: stderr.text(), exitCode }
}

function collector(isTTY: boolean, onWrite: (text: string) => void = () => {}) {
  let all = ''
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      all += chunk.toString()
      onWrite(chunk.toString())
      done()
    },
  })
  return { stream: Object.assign(stream, { isTTY }), text: () => all }
}
