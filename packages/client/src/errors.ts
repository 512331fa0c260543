import type { TransportClose } from './transport/client-transport.ts'

/** What went wrong on this side, for programs: the texts are for people and may change. */
export type ClientErrorCode =
  | 'not-connected'
  | 'closed'
  | 'timeout'
  | 'too-many-calls'
  | 'unsupported-revision'
  | 'not-offered'
  | 'invalid-answer'
  | 'output-mismatch'
  | 'unanswerable'
  | 'too-many-rounds'
  | 'endless-list'
  | 'transport'
  | 'session-lost'
  | 'unknown-server'
  | 'unknown-tool'
  | 'not-approved'
  | 'unavailable'
  | 'skill-refused'

/**
 * A failure that the server has not sent: of the connection, of a limit, or of an answer that is none. What a server
 * sends as an error arrives as `McpError`, and an aborted signal rejects with its own reason.
 */
export class ClientError extends Error {
  readonly code: ClientErrorCode
  /**
   * Whether the server has certainly not begun with what was asked of it, so that asking again does nothing twice. False
   * where that is not known.
   */
  readonly unprocessed: boolean = false

  constructor(code: ClientErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.code = code
  }
}

/** The connection was not there when something was asked of it, or went away before the answer came. */
export class ConnectionClosedError extends ClientError {
  readonly close: TransportClose | undefined
  override readonly unprocessed: boolean

  constructor(message: string, close?: TransportClose, how: { readonly unprocessed?: boolean } = {}) {
    super('closed', message, close?.kind === 'error' ? { cause: close.error } : undefined)
    this.close = close
    this.unprocessed = how.unprocessed ?? false
  }
}

/** No answer, and no sign of life, within the time that the call had. The server has been told to stop. */
export class RequestTimeoutError extends ClientError {
  readonly method: string
  readonly timeoutMs: number

  constructor(method: string, timeoutMs: number) {
    super('timeout', `No answer to ${method} within ${timeoutMs} ms`)
    this.method = method
    this.timeoutMs = timeoutMs
  }
}

/** The two sides share no revision of the protocol. */
export class UnsupportedRevisionError extends ClientError {
  /** What the server has named. */
  readonly offered: readonly string[]

  constructor(message: string, offered: readonly string[], options?: ErrorOptions) {
    super('unsupported-revision', message, options)
    this.offered = offered
  }
}

/** A tool's structured result is not what the tool's own schema says. */
export class OutputMismatchError extends ClientError {
  readonly tool: string
  /** The result as it came, for hosts that want to go on with it. */
  readonly result: object

  constructor(tool: string, problem: string, result: object) {
    super('output-mismatch', `The result of the tool ${tool} does not match its schema: ${problem}`)
    this.tool = tool
    this.result = result
  }
}

/** A transport could not deliver a message, or has lost its answer. Transports extend it. */
export class TransportError extends ClientError {
  /** The status of HTTP, where there was one. */
  readonly status: number | undefined
  /** Whether there were no credentials to be had: what has failed is the provider, whatever the server is like. */
  readonly ofCredentials: boolean
  override readonly unprocessed: boolean

  constructor(
    message: string,
    options: ErrorOptions & {
      readonly status?: number | undefined
      readonly ofCredentials?: boolean
      readonly unprocessed?: boolean
    } = {},
  ) {
    super('transport', message, options)
    this.status = options.status
    this.ofCredentials = options.ofCredentials ?? false
    this.unprocessed = options.unprocessed ?? false
  }
}

/**
 * The server no longer knows the session. The transport that throws it has forgotten the session's id: the next
 * `initialize` opens a new one, which the client sends by itself.
 */
export class SessionLostError extends ClientError {
  override readonly unprocessed: boolean = true

  constructor(message = 'The server has lost the session', options?: ErrorOptions) {
    super('session-lost', message, options)
  }
}

export const invalidAnswer = (method: string, problem: string): ClientError =>
  new ClientError('invalid-answer', `The answer to ${method} is malformed: ${problem}`)

/**
 * The error of a later step of a call, such as the next round of questions, or asking for its task: the call itself has
 * been taken on by then, whatever became of the step.
 */
export function begun(error: unknown): unknown {
  if (!(error instanceof ClientError) || !error.unprocessed) return error
  if (error instanceof ConnectionClosedError) return new ConnectionClosedError(error.message, error.close)
  const status = error instanceof TransportError ? error.status : undefined
  return new TransportError(error.message, { cause: error, status })
}
