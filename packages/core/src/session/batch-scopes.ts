import type { Caller } from '../call/scope.ts'
import { lacking } from '../call/scope.ts'
import type { McpError } from '../errors.ts'
import type { Incoming } from '../protocol/jsonrpc.ts'
import type { ServerRuntime } from './server-runtime.ts'

/** The error of a caller that lacks scopes for a batch, which has one HTTP status: it names all that it needs. */
export function lackingForAll(
  runtime: ServerRuntime,
  items: readonly Incoming[],
  own: object | undefined,
  caller: Caller,
): McpError | undefined {
  const needed = items.flatMap((item) =>
    item.kind === 'request' ? (runtime.dispatcher.scopesOf(item.message, own) ?? []) : [],
  )
  return lacking([...new Set(needed)], caller)
}
