import { invalidParams, methodNotFound } from '../errors.ts'
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts'
import type { CompleteResult } from '../protocol/types.ts'
import type { CallContext } from '../call/context.ts'
import type { MethodEntry } from '../call/method-table.ts'
import type { CallTarget } from '../call/scope.ts'
import { complete, type HandlerResult } from '../call/result.ts'
import type { AnyCompleters, Completer } from './completers.ts'
import { OutputError } from './content/protocol-results.ts'
import { type Awaitable, chain } from '../util/promises.ts'
import { type Prompts, withPrompt } from './prompts/prompts.ts'
import type { Resources } from './resources/resources.ts'
import { sessionEntries, type SessionRegistry } from './session-registry.ts'
import { type Guarded, ifVisible } from './registry/handler.ts'

/** https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/completion#implementation-considerations */
const MAX_VALUES = 100

const NOTHING: CompleteResult = { completion: { values: [], total: 0, hasMore: false } }

/** Serves `completion/complete` for the arguments of prompts and the variables of resource templates. */
export function completionEntry(prompts: Prompts, resources: Resources): MethodEntry {
  return {
    handle: (params, ctx) => {
      if (!prompts.registry.offered && !resources.offered) throw methodNotFound()
      const suggest = (completers: AnyCompleters | undefined): Awaitable<HandlerResult> => {
        const { name, value } = readArgument(params['argument'])
        const state = { arguments: readState(params['context']) }
        if (completers === undefined || !Object.hasOwn(completers, name)) return complete(NOTHING)
        const completer = completers[name] as unknown as Completer
        return chain<unknown, HandlerResult>(completer(value, ctx, state), toHandlerResult)
      }
      return withCompleters(prompts, resources, params['ref'], ctx, suggest)
    },
    target: ({ ref }, own) => guardedBy(prompts, resources, ref, own as SessionRegistry | undefined),
  }
}

/**
 * Returns the rules that restrict access to the definition. The definition's time limit is ignored, because
 * it applies to the handler.
 */
function guardedBy(
  prompts: Prompts,
  resources: Resources,
  ref: unknown,
  own: SessionRegistry | undefined,
): CallTarget | undefined {
  const { type, name, uri } = isObject(ref) ? ref : {}
  const entry =
    type === 'ref/prompt'
      ? prompts.registry.get(name as string)
      : typeof uri === 'string'
        ? findResource(resources, uri, own)?.entry
        : undefined
  return entry && { scopes: entry.scopes, visible: entry.visible }
}

function withCompleters(
  prompts: Prompts,
  resources: Resources,
  ref: unknown,
  ctx: CallContext,
  suggest: (completers: AnyCompleters | undefined) => Awaitable<HandlerResult>,
): Awaitable<HandlerResult> {
  if (!isObject(ref)) throw invalidParams('The member "ref" must be an object')
  if (ref['type'] === 'ref/prompt')
    return withPrompt(prompts.registry, ref['name'], ctx, (prompt) => suggest(prompt.complete))
  if (ref['type'] !== 'ref/resource')
    throw invalidParams('The type of "ref" must be "ref/prompt" or "ref/resource"')
  if (!resources.offered) throw invalidParams('Unknown resource')
  const uri = resources.uriOf(ref)
  const unknown = (): Error => invalidParams('Unknown resource')
  const found = findResource(resources, uri, sessionEntries(ctx))
  if (found === undefined) throw unknown()
  return ifVisible(found.entry, ctx, unknown, () => suggest(found.complete))
}

interface Found {
  readonly entry: Guarded
  readonly complete?: AnyCompleters | undefined
}

/**
 * Finds the template whose text equals the URI. If there is none, finds a template that matches the URI, or
 * else the resource.
 */
function findResource(
  resources: Resources,
  uri: string,
  own: SessionRegistry | undefined,
): Found | undefined {
  const template =
    own?.templates.registry.get(uri) ??
    resources.templates.registry.get(uri) ??
    own?.templates.match(uri)?.entry ??
    resources.templates.match(uri)?.entry
  if (template !== undefined) return { entry: template, complete: template.complete }
  const entry = own?.resources.get(uri) ?? resources.registry.get(uri)
  return entry && { entry }
}

function readArgument(argument: unknown): { name: string; value: string } {
  const { name, value } = isObject(argument) ? argument : {}
  if (typeof name === 'string' && typeof value === 'string') return { name, value }
  throw invalidParams('The member "argument" must be an object with a name and a value, both strings')
}

function readState(context: unknown = {}): Record<string, string> {
  const args = isObject(context) ? (context['arguments'] ?? {}) : undefined
  if (isObject(args) && Object.values(args).every((value) => typeof value === 'string'))
    return args as Record<string, string>
  throw invalidParams('The arguments of "context" must be an object of strings')
}

function toHandlerResult(suggested: unknown): HandlerResult {
  const given = Array.isArray(suggested) ? { values: suggested as unknown[] } : suggested
  const { values, total, hasMore }: JsonObject = isObject(given) ? given : {}
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'string')) {
    throw new OutputError('A completion returned neither an array of strings nor an object with such values')
  }
  const isTotal = Number.isSafeInteger(total)
  const known = isTotal ? (total as number) : values.length
  const more = hasMore === true || known > MAX_VALUES || values.length > MAX_VALUES || known > values.length
  const shown = values.slice(0, MAX_VALUES)
  // If there are more values and the total is unknown, the number of returned values would be an incorrect
  // total.
  const counted = isTotal || hasMore !== true ? { total: known } : {}
  return complete({ completion: { values: shown, ...counted, hasMore: more } })
}
