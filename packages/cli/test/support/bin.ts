import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The path of the built command. */
export const BIN: string = fileURLToPath(new URL('../../dist/bin.js', import.meta.url))

export const fixture = (name: string): string =>
  fileURLToPath(new URL(`../fixtures/${name}.ts`, import.meta.url))

export interface BinRun {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

/** Runs the built command in its own process, without a terminal. */
export const runBin = (argv: readonly string[]): Promise<BinRun> =>
  new Promise((resolve) => {
    const child = execFile(process.execPath, [BIN, ...argv], (error, stdout, stderr) =>
      resolve({ stdout, stderr, exitCode: error === null ? 0 : Number(error.code) }),
    )
    child.stdin?.end()
  })
