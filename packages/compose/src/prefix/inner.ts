import { type RequestContext, UsageError } from '@jetway/core'
import { innerContext } from '@jetway/core/compose'
import type { JsonObject } from '@jetway/core/protocol'
import type { Prompt, Resource, Template, Tool } from '../definitions.ts'
import type { Call } from '../inside.ts'

type Ctx = RequestContext<never, never>

/** What the functions of a definition see instead of the context of the call. */
export interface Seen {
  /** The URI of a read, as the definition knows it. */
  readonly uri?: (uri: string) => string
  readonly locals?: ((locals: never) => unknown) | undefined
}

/** Returns the context that a definition's functions see. */
function see(ctx: Ctx, { uri, locals }: Seen): Ctx {
  const given = ctx as unknown as Call
  const params: JsonObject | undefined =
    uri === undefined || given.uri === '' ? undefined : { ...given.message.params, uri: uri(given.uri) }
  const values = {
    ...(params !== undefined && { params }),
    ...(locals !== undefined && { locals: locals(given.locals as never) }),
  }
  return innerContext(given, values) as unknown as Ctx
}

type Definition = Tool | Resource | Template | Prompt
type Function = (...args: readonly unknown[]) => unknown

/** The functions of definitions whose argument at the given position is the context. */
const TAKING_CONTEXT: readonly (readonly [member: string, position: number])[] = [
  ['handler', 1],
  ['visible', 0],
  ['list', 0],
]

/**
 * Returns the members of a definition whose functions see another context.
 *
 * @throws `ERR_MCP_COMPOSE` for a tool with `asks`, whose order of calls only its own server knows
 */
export function seeing(definition: Definition, seen: Seen): Partial<Record<string, unknown>> {
  const members = definition as unknown as Readonly<Record<string, unknown>>
  const { handler } = members
  // Most definitions see the same context, and another one would make each call slower.
  if (seen.uri === undefined && seen.locals === undefined)
    return typeof handler === 'function' ? { handler: handler.bind(definition) as unknown } : {}
  const asks = members['relayed'] === true ? undefined : members['asks']
  if (asks !== undefined && seen.locals !== undefined)
    throw new UsageError(
      'ERR_MCP_COMPOSE',
      `The tool ${JSON.stringify(definition.name)} has asks; put it on a server, and pass sourceOf(server)`,
    )
  // The asks of a contained server would see the wrong locals, so that server asks inside the call.
  const changed: Record<string, unknown> = seen.locals === undefined ? {} : { asks: undefined }
  for (const [member, position] of TAKING_CONTEXT) {
    const run = members[member]
    if (typeof run !== 'function') continue
    changed[member] = (...args: readonly unknown[]) =>
      (run as Function).apply(definition, args.with(position, see(args[position] as Ctx, seen)))
  }
  const complete = members['complete'] as Readonly<Record<string, Function>> | undefined
  if (complete !== undefined)
    changed['complete'] = Object.fromEntries(
      Object.entries(complete).map(([name, completer]) => [
        name,
        (value: unknown, ctx: unknown, state: unknown) => completer(value, see(ctx as Ctx, seen), state),
      ]),
    )
  return changed
}
