import type { RequestContext } from '../call/request-context.ts'
import type { Awaitable } from '../util/promises.ts'

/** The arguments that the client has filled in. */
interface CompletionState {
  readonly arguments: Readonly<Record<string, string>>
}

/** Suggestions, best first. The client gets at most 100. */
type Suggestions =
  | readonly string[]
  | { readonly values: readonly string[]; readonly total?: number; readonly hasMore?: boolean }

/** Suggests values that start with the typed text. */
export type Completer<App = unknown, Locals = unknown> = (
  value: string,
  ctx: RequestContext<App, Locals>,
  state: CompletionState,
) => Awaitable<Suggestions>

/** Completers by the name of the argument or variable. */
export type Completers<Name extends PropertyKey, App = unknown, Locals = unknown> = {
  readonly [One in Name]?: Completer<App, Locals>
}

export type AnyCompleters = Readonly<Record<string, Completer<never, never>>>
