import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { ExitCode } from '../../src/exit-codes.ts'
import { runCommandLine } from '../../src/main.ts'

export interface CliOptions {
  /** Whether all three streams are a terminal. */
  readonly isTTY?: boolean
  readonly env?: Readonly<Record<string, string>>
}

export interface CliRun {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: ExitCode
}

/** Runs a command line in this process. */
export async function runCli(
  argv: readonly string[],
  { isTTY = false, env = {} }: CliOptions = {},
): Promise<CliRun> {
  const stream = () => Object.assign(new PassThrough(), { isTTY })
  const [stdin, stdout, stderr] = [stream(), stream(), stream()]
  const output = Promise.all([text(stdout), text(stderr)])
  const exitCode = await runCommandLine(argv, { stdin, stdout, stderr, env })
  stdout.end()
  stderr.end()
  const [out, err] = await output
  return { stdout: out, stderr: err, exitCode }
}
