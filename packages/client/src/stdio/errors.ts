import { TransportError } from '../errors.ts'

/** The program does not exist, or may not be executed. */
export class SpawnError extends TransportError {
  readonly command: string

  constructor(command: string, cause: unknown) {
    super(`Could not start ${JSON.stringify(command)}: ${reasonOf(cause)}`, { cause })
    this.command = command
  }
}

/** The process exited without being asked to. */
export class ProcessExitError extends TransportError {
  /** Null if a signal ended it. */
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  /** The last lines of stderr, if `stderr` is a function. */
  readonly stderr: readonly string[]

  constructor(exitCode: number | null, signal: NodeJS.Signals | null, stderr: readonly string[]) {
    const how = signal === null ? `with code ${exitCode}` : `by ${signal}`
    super(`The server's process ended ${how}${stderr.length === 0 ? '' : `:\n${stderr.join('\n')}`}`)
    this.exitCode = exitCode
    this.signal = signal
    this.stderr = stderr
  }
}

function reasonOf(cause: unknown): string {
  const code = (cause as { readonly code?: unknown } | null)?.code
  if (code === 'ENOENT') return 'no such program, or cwd does not exist'
  if (code === 'EACCES') return 'permission denied'
  return typeof code === 'string' ? code : 'the system refused'
}
