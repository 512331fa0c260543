import process from 'node:process'
import { run } from './create.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Runs the command line of this process, and sets its exit code. */
export async function main(): Promise<void> {
  const interrupt = new AbortController()
  const abort = (): void => interrupt.abort()
  for (const signal of SIGNALS) process.on(signal, abort)
  const { stdin, stdout, stderr } = process
  // `create-jetway … | head` closes the pipe early, but the project must still be created.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  process.exitCode = await run(process.argv.slice(2), {
    cwd: process.cwd(),
    env: process.env,
    streams: { stdin, stdout, stderr },
    interrupt,
  })
  for (const signal of SIGNALS) process.off(signal, abort)
}
