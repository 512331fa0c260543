import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Answer, type CliRun, runCli } from '../../support/run-cli.ts'

export interface Home {
  readonly path: (file: string) => string
  readonly write: (file: string, text: string) => Promise<void>
  /** Resolves to the file's text, or to undefined if there is no file. */
  readonly read: (file: string) => Promise<string | undefined>
  /** Runs the command with additional environment variables. */
  readonly runWith: (env: Readonly<Record<string, string>>, ...argv: readonly string[]) => Promise<CliRun>
  readonly run: (...argv: readonly string[]) => Promise<CliRun>
  readonly runInTerminal: (argv: readonly string[], ...answers: readonly Answer[]) => Promise<CliRun>
}

/** Creates a user's home folder for the duration of the test. */
export async function createHome(env: Readonly<Record<string, string>> = {}): Promise<Home> {
  const folder = await mkdtemp(join(tmpdir(), 'jetway-install-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = (file: string): string => join(folder, file)
  const all = { HOME: folder, PATH: process.env['PATH'] ?? '', ...env }
  return {
    path,
    async write(file, text) {
      await mkdir(dirname(path(file)), { recursive: true })
      await writeFile(path(file), text)
    },
    read: (file) => readFile(path(file), 'utf8').catch(() => undefined),
    runWith: (other, ...argv) => runCli(argv, { env: { ...all, ...other } }),
    run: (...argv) => runCli(argv, { env: all }),
    runInTerminal: (argv, ...answers) => runCli(argv, { isTTY: true, env: all, answers }),
  }
}
