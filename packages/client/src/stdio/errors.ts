import { TransportError } from '../errors.ts'
import { printable } from '../util/printable.ts'

/** The number of lines quoted from stderr. It is limited because models may read the message. */
const QUOTED_LINES = 10
const QUOTED_LENGTH = 300

/** Thrown if the program does not exist or cannot be executed. */
export class SpawnError extends TransportError {
  readonly command: string

  constructor(command: string, cause: unknown) {
    super(`Could not start ${JSON.stringify(command)}: ${reasonOf(cause)}`, { cause })
    this.command = command
  }
}

/** Thrown if the process exits unexpectedly. */
export class ProcessExitError extends TransportError {
  /** The exit code, or null if a signal terminated the process. */
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  /** The last lines of stderr; empty if stderr is inherited. */
  readonly stderr: readonly string[]

  constructor(exitCode: number | null, signal: NodeJS.Signals | null, stderr: readonly string[]) {
    const how = signal === null ? `with code ${exitCode}` : `by ${signal}`
    const lines = stderr.slice(-QUOTED_LINES).map((line) => `\n${printable(line, QUOTED_LENGTH)}`)
    const quoted = lines.length === 0 ? '' : `. The last lines of its stderr:${lines.join('')}`
    super(`The server's process ended ${how}${quoted}`)
    this.exitCode = exitCode
    this.signal = signal
    this.stderr = stderr
  }
}

function reasonOf(cause: unknown): string {
  const code = (cause as { readonly code?: unknown } | null)?.code
  if (code === 'ENOENT') return 'no such program, or cwd does not exist'
  if (code === 'EACCES') return 'permission denied'
  if (cause instanceof TypeError && code === undefined) return cause.message
  return typeof code === 'string' ? code : 'the system refused'
}
