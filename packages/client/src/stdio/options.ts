import type { Readable, Writable } from 'node:stream'

/** What is used of a child process. Node's own is one. */
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

/** How a child is started. */
export interface SpawnOptions {
  readonly cwd: string | undefined
  readonly env: Readonly<Record<string, string>>
  readonly stdio: readonly ['pipe', 'pipe', 'inherit' | 'ignore' | 'pipe']
  /** On POSIX the child leads a process group of its own, so that signals reach its children too. */
  readonly detached: boolean
  /** On Windows no console window opens. */
  readonly windowsHide: boolean
}

/** Starts a process. Nothing is ever handed to a shell. */
export type Spawn = (command: string, args: readonly string[], options: SpawnOptions) => ChildProcessLike

/** The steps by which a process, and all that it has started, is ended. */
export interface StopSteps {
  /** How long the process has to end after its input was closed, in ms. */
  readonly inputMs: number
  /** What whoever is left is told then. */
  readonly signal: 'SIGTERM' | 'SIGINT'
  /** How long they have to end after the signal, in ms. What is left afterwards is killed. */
  readonly signalMs: number
}

/**
 * - `graceful`: closes the input, SIGTERM after 2 s, SIGKILL after 2 s more, as the specification has it.
 * - `interrupt`: closes the input and sends SIGINT at once, SIGKILL after 3 s.
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

/** A server that runs as a child process. */
export interface ServerProcess {
  /** The program, found on PATH unless it is a path. No shell reads it. */
  readonly command: string
  readonly args?: readonly string[]
  /** Variables beside the inherited ones. */
  readonly env?: Readonly<Record<string, string>>
  /**
   * What the child sees of this process's own environment: with `safe` where it lives and who runs it (PATH, HOME and
   * the like), so that no secret reaches a server that was not meant for it.
   *
   * @default 'safe'
   */
  readonly inheritEnv?: 'safe' | 'all' | 'none'
  /** @default this process's own */
  readonly cwd?: string
}

/** Options of {@link ChildProcessTransport}. */
export interface ChildProcessOptions extends ServerProcess {
  /**
   * Where the child's stderr goes. It is never read as messages. A function gets it line by line, lines cut at
   * 8192 UTF-16 units; what it throws is ignored.
   *
   * @default 'inherit'
   */
  readonly stderr?: 'inherit' | 'ignore' | ((line: string) => void)
  /** @default 'graceful' */
  readonly stop?: Stop
  /** A longer line from the server is dropped and reported as malformed. @default 10 MiB */
  readonly maxLineBytes?: number
  /** How the process is started, for hosts that run servers elsewhere. @default cross-spawn */
  readonly spawn?: Spawn
}
