import { ClientError, ConnectionClosedError, RequestTimeoutError, TransportError } from '@jetway/client'
import { McpError } from '@jetway/core/protocol'
import { CliError, type CliErrorCode } from '../errors.ts'

/** Status codes with which a server requires authorization. */
const REFUSED: readonly (number | undefined)[] = [401, 403]

/** Rethrows an error of `connect` with an exit code. */
export function explainConnect(error: unknown): never {
  throw explained(error, 'unreachable')
}

/** Rethrows an error of a request with an exit code. */
export function explainRequest(error: unknown): never {
  throw explained(error, 'failed')
}

function explained(error: unknown, otherwise: CliErrorCode): unknown {
  if (error instanceof CliError) return error
  if (error instanceof McpError)
    return new CliError('failed', `The server answered with error ${error.code}: ${error.message}`, {
      cause: error,
    })
  if (!(error instanceof ClientError)) return error
  const transport = transportErrorOf(error)
  if (transport?.authFailed === true) return explainAuth(transport)
  if (REFUSED.includes(transport?.status))
    return new CliError('authorization-needed', error.message, {
      cause: error,
      hint: 'Give a token with --bearer-env NAME, or run this in a terminal to authorize in the browser',
    })
  if (error instanceof RequestTimeoutError)
    return new CliError(otherwise, `No answer to ${error.method} within ${error.timeoutMs} ms`, {
      cause: error,
      hint: 'Wait longer with --timeout SECONDS',
    })
  if (error.code === 'unsupported-revision') return new CliError('failed', error.message, { cause: error })
  const code = transport !== undefined && transport.status === undefined ? 'unreachable' : otherwise
  return new CliError(code, error.message, { cause: error })
}

function transportErrorOf(error: ClientError): TransportError | undefined {
  if (error instanceof TransportError) return error
  const cause = error instanceof ConnectionClosedError ? error.cause : undefined
  return cause instanceof TransportError ? cause : undefined
}

/** Explains a failed authorization. Its messages do not contain secrets. */
function explainAuth({ message, cause }: TransportError): CliError {
  const reason = cause instanceof Error ? `. ${cause.message}` : ''
  return new CliError('authorization-needed', message.replace(/: see the cause$/, '') + reason, { cause })
}
