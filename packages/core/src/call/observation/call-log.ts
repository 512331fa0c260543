import type { JsonRpcRequest } from '../../protocol/jsonrpc.ts'
import { type Logger, safeLogger } from '../../util/logger.ts'
import type { Caller, CallTarget } from '../scope.ts'

/** The parts of a call that appear in its log lines. */
interface LoggedCall {
  readonly message: Pick<JsonRpcRequest, 'method' | 'id'>
  readonly scope: { readonly caller: Pick<Caller, 'logger' | 'httpRequestId'> }
  /**
   * The definition to which the call refers. Its registered name is logged instead of the URI, because a URI
   * may contain secrets.
   */
  readonly target?: CallTarget | undefined
}

/** The maximum length of an id in a log line, because clients can choose long ids. */
const MAX_ID = 64

/**
 * Writes log lines about a call to the request's logger, or to the server's logger if the request has none. A
 * line never contains the call's arguments, because they may be secret.
 */
export class CallLog {
  readonly #logger: Logger

  constructor(logger: Logger) {
    this.#logger = logger
  }

  warn(call: LoggedCall, message: string, fields?: object): void {
    this.#loggerOf(call).warn({ ...this.#fields(call), ...fields }, message)
  }

  error(call: LoggedCall, message: string, fields?: object): void {
    this.#loggerOf(call).error({ ...this.#fields(call), ...fields }, message)
  }

  #loggerOf({ scope }: LoggedCall): Logger {
    const { logger } = scope.caller
    return logger === undefined ? this.#logger : safeLogger(logger)
  }

  #fields(call: LoggedCall): object {
    const { message, scope } = call
    const { httpRequestId } = scope.caller
    const name = call.target?.item?.name
    return {
      ...(httpRequestId !== undefined && { reqId: httpRequestId }),
      requestId: typeof message.id === 'string' ? message.id.slice(0, MAX_ID) : message.id,
      method: message.method,
      ...(name !== undefined && { name }),
    }
  }
}
