import type { CallContext } from '../../call/context.ts'
import { lacking } from '../../call/scope.ts'
import type { RequestContext } from '../../call/request-context.ts'
import type { Logger } from '../../util/logger.ts'
import { invalid, type Subject } from './checks.ts'
import { type Awaitable, chain, isPromiseLike } from '../../util/promises.ts'
import { areScopes } from '../../errors.ts'
import { MAX_TIMEOUT_MS } from '../../util/clock.ts'

/**
 * Decides whether the caller of a request may see an entry. Hidden entries are neither listed nor completed,
 * and requests for them fail as if they did not exist. The rule runs on every request that could reveal the
 * entry, so it should be fast. If the rule throws, the entry is hidden.
 */
export type VisibleRule<App = unknown, Locals = unknown> = (
  ctx: RequestContext<App, Locals>,
) => Awaitable<boolean>

export interface Guarded {
  /** Undefined if everyone may see the entry. */
  readonly visible: ((ctx: CallContext) => Awaitable<boolean>) | undefined
  /** Undefined if no scopes are required. */
  readonly scopes?: readonly string[] | undefined
}

/** Compiles a rule into one that never throws. If the rule returns a value other than `true`, the entry is hidden. */
function compileVisible(
  subject: Subject,
  definition: { readonly visible?: unknown },
  logger: Logger,
): Guarded['visible'] {
  if (definition.visible === undefined) return undefined
  if (typeof definition.visible !== 'function')
    throw invalid(subject, 'needs a function of (ctx) as its visible')
  const rule = definition.visible as (ctx: CallContext) => unknown
  const hide = (err: unknown): false => {
    logger.error({ err, ...subject }, 'A visible rule failed, so its entry was hidden')
    return false
  }
  return (ctx) => {
    try {
      const said = rule.call(definition, ctx)
      return isPromiseLike(said) ? Promise.resolve(said).then((it) => it === true, hide) : said === true
    } catch (error) {
      return hide(error)
    }
  }
}

/**
 * Uses the entry if the caller may see it. Otherwise, the request fails as if the entry did not exist.
 *
 * @throws ScopeError if the caller lacks the entry's scopes
 */
export function ifVisible<T>(
  { visible, scopes }: Guarded,
  ctx: CallContext,
  unknown: () => Error,
  use: () => Awaitable<T>,
): Awaitable<T> {
  return chain(visible === undefined || visible(ctx), (allowed) => {
    if (!allowed) throw unknown()
    const fault = lacking(scopes, ctx.scope.caller)
    if (fault !== undefined) throw fault
    return use()
  })
}

/** Returns the entries that the caller may see, or the same array if no entry has a rule. */
export function visibleAmong<Entry extends Guarded>(
  entries: readonly Entry[],
  ctx: CallContext,
): Awaitable<readonly Entry[]> {
  if (entries.every(({ visible }) => visible === undefined)) return entries
  const verdicts = entries.map(({ visible }) => visible === undefined || visible(ctx))
  const pick = (allowed: readonly (boolean | Promise<boolean>)[]): readonly Entry[] =>
    entries.filter((_, index) => allowed[index] === true)
  if (!verdicts.some((it) => it instanceof Promise)) return pick(verdicts)
  return Promise.all(verdicts.map((it) => Promise.resolve(it))).then(pick)
}

export interface CompiledHandler extends Guarded {
  readonly timeoutMs: number | undefined
  readonly handler: (args: unknown, ctx: CallContext) => unknown
  /** The handler's `this`. A definition may be an instance of a class with the handler as a method. */
  readonly definition: object
}

/** @throws `ERR_MCP_INVALID_DEFINITION` */
export function compileHandler(
  subject: Subject,
  definition: { readonly [member in keyof Omit<CompiledHandler, 'definition'>]?: unknown },
  logger: Logger,
): CompiledHandler {
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
  return { timeoutMs, visible, scopes, handler: handler as CompiledHandler['handler'], definition }
}
