import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import process from 'node:process'

/** A program from this repository in its own process. */
export interface Running {
  readonly process: ChildProcessWithoutNullStreams
  /** The received output. */
  readonly output: { stdout: string; stderr: string }
  /** Resolves to the exit code, or to null after a signal, once all output has been read. */
  readonly exited: Promise<number | null>
  /** Resolves when the output matches. Rejects with stderr if the process exits first. */
  until(pattern: RegExp): Promise<RegExpExecArray>
  /**
   * Ends the process with SIGTERM or another signal. Resolves to the exit code, or to null after a signal.
   */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** A listening program. */
export interface Serving extends Running {
  readonly url: string
}

/** Waits until an `apps/runner` program prints the JSON line with its URL. */
export async function listening(server: Running): Promise<Serving> {
  const [, ready = ''] = await server.until(/^({"ready".*})$/m)
  const { url } = JSON.parse(ready) as { url: string }
  return { ...server, url }
}

/** Starts Node with these arguments. The process is killed when this process exits. */
export function startNode(args: readonly string[], env: NodeJS.ProcessEnv = {}): Running {
  const child = spawn(process.execPath, args, { stdio: 'pipe', env: { ...process.env, ...env } })
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  const exited = once(child, 'close').then(([code]) => {
    process.off('exit', kill)
    return code as number | null
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => void (output[name] += text))
  child.stdin.on('error', () => {})
  return {
    process: child,
    output,
    exited,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const streams = [child.stdout, child.stderr]
        const look = (): void => {
          const found = pattern.exec(output.stdout) ?? pattern.exec(output.stderr)
          if (found === null) return
          for (const stream of streams) stream.off('data', look)
          resolve(found)
        }
        for (const stream of streams) stream.on('data', look)
        void exited.then(() => reject(new Error(`It ended before ${String(pattern)}: ${output.stderr}`)))
        look()
      }),
    stop(signal) {
      child.kill(signal)
      return exited
    },
  }
}

/**
 * Returns the status fields of a process, such as its state, parent and group. The list is empty for an unknown
 * process.
 */
export function statOf(pid: number): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

/** Returns whether a process is running and is not a zombie. */
export const runs = (pid: number): boolean => !['Z', 'X', undefined].includes(statOf(pid)[0])
