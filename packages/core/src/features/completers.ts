import type { RequestContext } from '../call/request-context.ts'
import type { Awaitable } from '../util/promises.ts'
import { invalid, type Subject } from './registry/checks.ts'

/** The state of the request, as available to a completer. */
export interface CompletionState {
  /** The arguments or variables that the client has already filled in, keyed by name. */
  readonly arguments: Readonly<Record<string, string>>
}

/** Suggestions, best first. The client receives at most 100. */
export type Suggestions =
  | readonly string[]
  | { readonly values: readonly string[]; readonly total?: number; readonly hasMore?: boolean }

/** Suggests values that start with the typed text. */
export type Completer<App = unknown, Locals = unknown> = (
  value: string,
  ctx: RequestContext<App, Locals>,
  state: CompletionState,
) => Awaitable<Suggestions>

/** Completers, keyed by the name of the argument or variable. */
export type Completers<Name extends PropertyKey, App = unknown, Locals = unknown> = {
  readonly [One in Name]?: Completer<App, Locals>
}

export type AnyCompleters = Readonly<Record<string, Completer<never, never>>>

/** @throws `ERR_MCP_INVALID_DEFINITION` for an unknown name, and for a completer that is not a function */
export function checkCompleters(
  subject: Subject,
  complete: object | undefined,
  names: readonly string[],
): AnyCompleters | undefined {
  if (complete === undefined) return undefined
  const completers = Object.entries(complete).filter(([, completer]) => completer !== undefined)
  for (const [name, completer] of completers) {
    if (!names.includes(name)) {
      throw invalid(subject, `completes ${JSON.stringify(name)}, which it does not have`)
    }
    if (typeof completer !== 'function') {
      throw invalid(subject, `needs a function to complete ${JSON.stringify(name)}`)
    }
  }
  return completers.length === 0 ? undefined : (Object.fromEntries(completers) as AnyCompleters)
}
