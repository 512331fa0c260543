/** An error for the user, printed with its advice and without its stack. */
export class CreateError extends Error {
  override name = 'CreateError'
  /** A sentence that tells the user what to do. */
  readonly advice: string
  /** 1 if something failed, or 2 if the command line is invalid. */
  readonly exitCode: 1 | 2

  constructor(message: string, advice: string, { exitCode = 2, ...options }: CreateErrorOptions = {}) {
    super(message, options)
    this.advice = advice
    this.exitCode = exitCode
  }
}

interface CreateErrorOptions extends ErrorOptions {
  readonly exitCode?: 1 | 2
}
