import type { Readable, Writable } from 'node:stream'
import type { ServerProcess } from '../transport/client-transport.ts'

/** The part of a child process that the transport uses. Node's `ChildProcess` satisfies it. */
export interface ChildProcessLike {
  readonly pid?: number | undefined
  readonly stdin: Writable | null
  readonly stdout: Readable | null
  readonly stderr: Readable | null
  readonly exitCode: number | null
  readonly signalCode: NodeJS.Signals | null
  kill(signal: NodeJS.Signals): boolean
  on(event: 'spawn', listener: () => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'exit' | 'close', listener: (code: number | null, signal: NodeJS.Signals | null) => void): unknown
}

/** The options of a custom `spawn` function. */
export interface SpawnOptions {
  readonly cwd: string | undefined
  readonly env: Readonly<Record<string, string>>
  readonly stdio: readonly ['pipe', 'pipe', 'inherit' | 'pipe']
  /** Whether the child leads a process group, so that signals reach its children. True on POSIX. */
  readonly detached: boolean
  /** Whether to hide the console window on Windows. */
  readonly windowsHide: boolean
}

/** Starts a process. Must not use a shell. */
export type Spawn = (command: string, args: readonly string[], options: SpawnOptions) => ChildProcessLike

/** The steps that end a process and its descendants. */
export interface StopSteps {
  /** How long the process may take to exit after stdin is closed, in ms. After that, the signal is sent. */
  readonly inputMs: number
  /** The signal for processes that are still running after that time. */
  readonly signal: 'SIGTERM' | 'SIGINT'
  /** How long the processes may take to exit after the signal, in ms. After that, they are killed. */
  readonly signalMs: number
}

/**
 * How to end a process and its descendants.
 *
 * - `graceful`: closes stdin, sends SIGTERM after 2 s, and sends SIGKILL after another 2 s, as specified.
 * - `interrupt`: closes stdin, immediately sends SIGINT, and sends SIGKILL after 3 s.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#stdio
 */
export type Stop = 'graceful' | 'interrupt' | StopSteps

const STOPS: Readonly<Record<'graceful' | 'interrupt', StopSteps>> = {
  graceful: { inputMs: 2_000, signal: 'SIGTERM', signalMs: 2_000 },
  interrupt: { inputMs: 0, signal: 'SIGINT', signalMs: 3_000 },
}

export const stopSteps = (stop: Stop = 'graceful'): StopSteps =>
  typeof stop === 'string' ? STOPS[stop] : stop

/** The options of a server that runs as a child process. */
export interface ChildProcessOptions extends ServerProcess {
  /**
   * The destination of stderr. A function is called with each line, truncated to 8192 UTF-16 code units;
   * exceptions that it throws are ignored. With `inherit`, error messages cannot quote the last lines.
   * @default 'inherit'
   */
  readonly stderr?: 'inherit' | 'ignore' | ((line: string) => void)
  /** The way to end the process. @default 'graceful' */
  readonly stop?: Stop
  /**
   * The maximum length of a line, in bytes. Longer lines are dropped and reported as malformed. @default 10 MiB
   */
  readonly maxLineBytes?: number
  /**
   * The function that starts the process, for hosts that run servers elsewhere.
   * @default `spawn` from `node:child_process`
   */
  readonly spawn?: Spawn
}
