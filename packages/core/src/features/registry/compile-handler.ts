import type { CallContext } from '../../call/context.ts'
import { areScopes } from '../../errors.ts'
import { MAX_TIMEOUT_MS } from '../../util/clock.ts'
import type { Logger } from '../../util/logger.ts'
import { invalid, type Subject } from './checks.ts'
import { compileVisible, type Guarded } from './visibility.ts'

export interface CompiledHandler extends Guarded {
  readonly timeoutMs: number | undefined
  handle(args: unknown, ctx: CallContext): unknown
}

interface Definition {
  readonly handler: unknown
  readonly timeoutMs?: number
  readonly visible?: unknown
  readonly scopes?: unknown
}

/** @throws `ERR_MCP_INVALID_DEFINITION` */
export function compileHandler(subject: Subject, definition: Definition, logger: Logger): CompiledHandler {
  const { handler, timeoutMs, scopes } = definition
  if (typeof handler !== 'function') throw invalid(subject, 'needs a handler: a function of (args, ctx)')
  if (
    timeoutMs !== undefined &&
    !(typeof timeoutMs === 'number' && timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS)
  )
    throw invalid(subject, `needs a timeoutMs between 1 and ${MAX_TIMEOUT_MS}`)
  if (scopes !== undefined && !areScopes(scopes))
    throw invalid(subject, "needs a list of scopes, such as ['files:write']")
  const visible = compileVisible(subject, definition, logger)
  // A definition may be an instance of a class whose handler is a method.
  return { timeoutMs, visible, scopes, handle: (args, ctx) => handler.call(definition, args, ctx) as unknown }
}
