import { randomUUID } from 'node:crypto'
import type { Start } from '../../start/environment.ts'
import { runTrial, type TrialOptions } from '../../start/trial.ts'

/**
 * Returns code that runs in the server's process before the server's own code. It prints to stderr which code
 * first wrote text to stdout that is not a message.
 */
const traceCode = (mark: string): string => `
const { write } = process.stdout
let found = false
process.stdout.write = function (chunk, ...rest) {
  if (!found && !String(chunk).includes('"jsonrpc"')) {
    found = true
    const frames = new Error().stack.split('\\n').slice(1)
    const own = frames.find((frame) => !/node:|data:/.test(frame))
    if (own !== undefined) process.stderr.write('${mark}' + own.trim() + '\\n')
  }
  return Reflect.apply(write, this, [chunk, ...rest])
}`

/**
 * Restarts a Node.js program to find the place where it writes text that is not a message, such as
 * `at main (/app/server.js:3:9)`.
 */
export async function findWriter(start: Start, options: TrialOptions): Promise<string | undefined> {
  const mark = `${randomUUID()} `
  const preload = `--import=data:text/javascript,${encodeURIComponent(traceCode(mark))}`
  const given = start.env['NODE_OPTIONS']
  const env = { ...start.env, NODE_OPTIONS: given === undefined ? preload : `${given} ${preload}` }
  const { stderr } = await runTrial({ ...start, env }, options)
  return stderr.find((line) => line.startsWith(mark))?.slice(mark.length)
}
