import type { JsonRpcRequest } from '../../protocol/jsonrpc.ts'
import { type Logger, safeLogger } from '../../util/logger.ts'
import type { Caller } from '../scope.ts'

/** The members of a call that its log lines use. */
export interface LoggedCall {
  readonly message: Pick<JsonRpcRequest, 'method' | 'id'>
  readonly scope: { readonly caller: Pick<Caller, 'logger' | 'httpRequestId'> }
}

/** The maximum length of an id in a line, because clients choose ids of any length. */
const MAX_ID = 64

/**
 * Writes the lines about a call to the logger of its request, or else to that of the server. A line never
 * contains arguments of the call, because they may be secret.
 */
export class CallLog<Call extends LoggedCall> {
  readonly #logger: Logger
  readonly #nameOf: (call: Call) => string | undefined

  /** @param nameOf - returns the registered name of the called definition: a URI may contain secrets */
  constructor(logger: Logger, nameOf: (call: Call) => string | undefined) {
    this.#logger = logger
    this.#nameOf = nameOf
  }

  warn(call: Call, message: string, fields?: object): void {
    this.#loggerOf(call).warn({ ...this.#fields(call), ...fields }, message)
  }

  error(call: Call, message: string, fields?: object): void {
    this.#loggerOf(call).error({ ...this.#fields(call), ...fields }, message)
  }

  #loggerOf({ scope }: Call): Logger {
    const { logger } = scope.caller
    return logger === undefined ? this.#logger : safeLogger(logger)
  }

  #fields(call: Call): object {
    const { message, scope } = call
    const { httpRequestId } = scope.caller
    const name = this.#nameOf(call)
    return {
      ...(httpRequestId !== undefined && { reqId: httpRequestId }),
      requestId: typeof message.id === 'string' ? message.id.slice(0, MAX_ID) : message.id,
      method: message.method,
      ...(name !== undefined && { name }),
    }
  }
}
