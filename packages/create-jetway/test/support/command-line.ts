import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { onTestFinished } from 'vitest'
import { run, type Surroundings } from '../../src/create.ts'

export interface CommandLine {
  /** An empty folder that is removed after the test. */
  readonly cwd: string
  readonly interrupt: AbortController
  /** The environment of the command. */
  readonly env: NodeJS.ProcessEnv
  readonly output: { stdout: string; stderr: string }
  /** Runs the command. Resolves to its exit code. */
  readonly run: (...argv: readonly string[]) => Promise<number>
  /** Enters a line of input. */
  readonly type: (line: string) => void
}

export interface CommandLineOptions {
  readonly terminal?: boolean
  readonly env?: NodeJS.ProcessEnv
}

export function commandLine({ terminal = false, env = {} }: CommandLineOptions = {}): CommandLine {
  const cwd = mkdtempSync(join(tmpdir(), 'create-jetway-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  const output = { stdout: '', stderr: '' }
  const stream = (name?: 'stdout' | 'stderr'): PassThrough => {
    const passed = Object.assign(new PassThrough(), { isTTY: terminal })
    if (name !== undefined)
      passed.setEncoding('utf8').on('data', (text: string) => void (output[name] += text))
    return passed
  }
  const stdin = stream()
  const interrupt = new AbortController()
  const surroundings: Surroundings = {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    streams: { stdin, stdout: stream('stdout'), stderr: stream('stderr') },
    interrupt,
  }
  return {
    cwd,
    interrupt,
    env: surroundings.env,
    output,
    run: (...argv) => run(argv, surroundings),
    type: (line) => void stdin.write(`${line}\n`),
  }
}
