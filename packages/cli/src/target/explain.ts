import { ClientError, ConnectionClosedError, RequestTimeoutError, TransportError } from '@jetway/client'
import { McpError } from '@jetway/core/protocol'
import { CliError, type CliErrorCode } from '../errors.ts'

export interface ExplainOptions {
  /** The code of an error that is not an HTTP refusal. */
  readonly otherwise: CliErrorCode
  /** Whether the requests had a token. */
  readonly hasToken: boolean
}

/** Returns a client error with an exit code and a hint. Returns other errors unchanged. */
export function explained(error: unknown, { otherwise, hasToken }: ExplainOptions): unknown {
  if (error instanceof CliError) return error
  if (error instanceof McpError)
    return new CliError('failed', `The server answered with error ${error.code}: ${error.message}`, {
      cause: error,
    })
  if (!(error instanceof ClientError)) return error
  const transport = transportErrorOf(error)
  if (transport?.authFailed === true) return explainAuth(transport)
  const hint = refusalHint(transport?.status, error.message, hasToken)
  if (hint !== undefined) return new CliError('authorization-needed', error.message, { cause: error, hint })
  if (error instanceof RequestTimeoutError)
    return new CliError(otherwise, `No answer to ${error.method} within ${error.timeoutMs} ms`, {
      cause: error,
      hint: 'Wait longer with --timeout SECONDS',
    })
  if (error.code === 'unsupported-revision') return new CliError('failed', error.message, { cause: error })
  const code = transport !== undefined && transport.status === undefined ? 'unreachable' : otherwise
  return new CliError(code, error.message, { cause: error })
}

/** Returns a hint about what the user can do if a server rejects the caller. */
function refusalHint(status: number | undefined, message: string, hasToken: boolean): string | undefined {
  if (status !== 401 && status !== 403) return undefined
  if (/\b(?:Host|Origin)\b/.test(message))
    return 'Use an address that the server allows, or add this one to its options allowedHosts or allowedOrigins'
  if (!hasToken)
    return 'Give a token with --bearer-env NAME, or run this in a terminal to authorize in the browser'
  if (status === 401) return 'The token may have expired, or be for another server. Give another one'
  if (/\bscopes?\b/i.test(message)) return 'Give a token that has these scopes'
  return 'The server accepts the token, but does not allow this request. Give a token of a user who may do it'
}

function transportErrorOf(error: ClientError): TransportError | undefined {
  if (error instanceof TransportError) return error
  const cause = error instanceof ConnectionClosedError ? error.cause : undefined
  return cause instanceof TransportError ? cause : undefined
}

/** Explains a failed authorization. The messages do not contain secrets. */
function explainAuth({ message, cause }: TransportError): CliError {
  const reason = cause instanceof Error ? `. ${cause.message}` : ''
  return new CliError('authorization-needed', message.replace(/: see the cause$/, '') + reason, { cause })
}
