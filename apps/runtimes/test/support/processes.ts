import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { runtime, type RuntimeName } from '@jetway-tools/runtimes'

/** The runtimes that can run a program from its source. */
export type ProcessRuntime = Exclude<RuntimeName, 'workerd'>

const SOURCE = '--conditions=jetway:source'
/** Node strips types by default from version 22.18. */
const FLAGS: Readonly<Record<ProcessRuntime, readonly string[]>> = {
  'node-20': [SOURCE, '--import', import.meta.resolve('tsx')],
  'node-22': [SOURCE],
  'node-24': [SOURCE],
  'node-26': [SOURCE],
  bun: [SOURCE],
  deno: ['run', '--no-prompt', SOURCE],
}

/** A server that is listening. */
export interface Listening {
  readonly url: string
  stop(): Promise<void>
}

/** A process with piped standard streams. */
export interface Speaking {
  readonly process: ChildProcessWithoutNullStreams
  readonly exitCode: Promise<number | null>
}

/** Starts a program in `src` with piped standard streams. */
export function speak(name: ProcessRuntime, program: string): Speaking {
  const child = start(runtime(name), [...FLAGS[name], source(program)])
  return { process: child, exitCode: once(child, 'exit').then(([code]) => code as number | null) }
}

/** Starts a program in `src` that prints the port on which it is listening. */
export async function listen(name: ProcessRuntime, program: string): Promise<Listening> {
  const child = start(runtime(name), [
    ...FLAGS[name],
    ...(name === 'deno' ? ['--allow-net=127.0.0.1'] : []),
    source(program),
  ])
  return listening(child, await firstPort(child, child.stdout, /^port (\d+)$/))
}

/** Waits until a process is listening on a port of the loopback address. */
export function listening(child: ChildProcessWithoutNullStreams, port: number): Listening {
  const exited = once(child, 'exit')
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    stop: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** Starts a process, and stops it when this process exits. */
export function start(
  file: string,
  args: readonly string[],
  stdio: readonly 'pipe'[] = ['pipe', 'pipe', 'pipe'],
): ChildProcessWithoutNullStreams {
  const child = spawn(file, args, { stdio: [...stdio] })
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  child.stdin.on('error', () => {})
  return child
}

/**
 * Resolves to the port in the first line that contains one. Rejects with the output if the process exits first.
 */
export async function firstPort(
  child: ChildProcessWithoutNullStreams,
  stream: NodeJS.ReadableStream,
  pattern: RegExp,
): Promise<number> {
  let heard = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (heard += text))
  for await (const line of createInterface({ input: stream })) {
    const port = pattern.exec(line)?.[1]
    if (port === undefined) continue
    stream.resume()
    return Number(port)
  }
  throw new Error(`The process ended before it listened: ${heard}`)
}

const source = (program: string): string => fileURLToPath(new URL(`../../src/${program}`, import.meta.url))
