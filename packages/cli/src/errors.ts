import { EXIT, type ExitCode } from './exit-codes.ts'

/** The `code` of an error that is printed with `--json`. */
export type CliErrorCode = 'failed' | 'usage' | 'authorization-needed' | 'unreachable'

const EXIT_CODES: Readonly<Record<CliErrorCode, ExitCode>> = {
  failed: EXIT.failed,
  usage: EXIT.usage,
  'authorization-needed': EXIT.authorizationNeeded,
  unreachable: EXIT.unreachable,
}

export interface CliErrorOptions extends ErrorOptions {
  /** One sentence that tells the user what to do. */
  readonly hint?: string
}

/** An error for the user, printed with its message and hint, but without its stack. */
export class CliError extends Error {
  override name = 'CliError'
  readonly code: CliErrorCode
  readonly hint: string | undefined

  constructor(code: CliErrorCode, message: string, { hint, ...options }: CliErrorOptions = {}) {
    super(message, options)
    this.code = code
    this.hint = hint
  }

  get exitCode(): ExitCode {
    return EXIT_CODES[this.code]
  }
}

/** Creates the error for an invalid command line. */
export const usageError = (message: string, hint?: string): CliError =>
  new CliError('usage', message, hint === undefined ? {} : { hint })
