import { invalidParams, methodNotFound } from '../../errors.ts'
import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts'
import { Method } from '../../protocol/methods.ts'
import type { Prompt, PromptArgument } from '../../protocol/types.ts'
import type { CallContext } from '../../call/context.ts'
import type { MethodEntry } from '../../call/method-table.ts'
import type { Logger } from '../../util/logger.ts'
import { complete, type HandlerResult } from '../../call/result.ts'
import { describeIssues } from '../../schema/issues.ts'
import { promptArguments } from '../../schema/uses/prompt-arguments.ts'
import type { CompiledInput, SchemaEngine, SchemaSite } from '../../schema/types.ts'
import { checkName, invalid, publish, shorten, type Subject } from '../registry/checks.ts'
import { type AnyCompleters, checkCompleters } from '../completers.ts'
import { isRelayed } from '../registry/brand.ts'
import { isInputRequired, toNeedsInput } from '../tools/input-required.ts'
import { Listing } from '../registry/listing.ts'
import { type Awaitable, chain } from '../../util/promises.ts'
import { toPromptResult } from './prompt-messages.ts'
import type { AnyPrompt } from './prompt-types.ts'
import { type CompiledHandler, compileHandler, ifVisible } from '../registry/handler.ts'
import { type RegistrationContext, Registry } from '../registry/registry.ts'

/** A registered prompt. */
interface PromptEntry extends CompiledHandler {
  readonly item: Prompt
  readonly arguments: readonly PromptArgument[]
  /** Undefined if the arguments are given as a list without a schema. */
  readonly input: CompiledInput | undefined
  readonly complete: AnyCompleters | undefined
}

interface PromptsOptions extends RegistrationContext {
  readonly schemas: SchemaEngine
}

/** The prompts of a server and the methods that serve them. */
export interface Prompts {
  readonly registry: Registry<AnyPrompt, PromptEntry>
  readonly methods: readonly (readonly [string, MethodEntry])[]
}

export function createPrompts(options: PromptsOptions): Prompts {
  const { schemas, pageSize, logger, caching } = options
  const registry = new Registry<AnyPrompt, PromptEntry>({
    kind: 'prompt',
    key: (definition) => definition.name,
    checkMembers: options.checkMembers,
    build: (definition) => buildPrompt(definition, schemas, logger),
  })
  const listing = new Listing<PromptEntry, Prompt>({
    member: 'prompts',
    key: (prompt) => prompt.name,
    project: (revision, prompt) => revision.project('prompt', prompt),
    pageSize,
    caching,
  })
  const list: MethodEntry['handle'] = (params, ctx) => {
    if (!registry.offered) throw methodNotFound()
    return listing.list(registry.entries(), params, ctx)
  }
  const get: MethodEntry['handle'] = (params, ctx) => {
    if (!registry.offered) throw methodNotFound()
    return withPrompt(registry, params['name'], ctx, (entry) => getPrompt(entry, params['arguments'], ctx))
  }
  return {
    registry,
    methods: [
      [Method.ListPrompts, { handle: list }],
      [Method.GetPrompt, { handle: get, target: ({ name }) => registry.get(name as string) }],
    ],
  }
}

/** @throws McpError `-32602` for an unknown or hidden prompt */
export function withPrompt<T>(
  registry: Prompts['registry'],
  name: unknown,
  ctx: CallContext,
  use: (entry: PromptEntry) => T | Promise<T>,
): T | Promise<T> {
  if (typeof name !== 'string') throw invalidParams('The name of a prompt must be a string')
  const entry = registry.get(name)
  const unknown = (): Error => invalidParams(`Unknown prompt: ${shorten(name)}`)
  if (entry === undefined) throw unknown()
  return ifVisible(entry, ctx, unknown, () => use(entry))
}

function getPrompt(entry: PromptEntry, given: unknown, ctx: CallContext): Awaitable<HandlerResult> {
  const args = readArguments(entry, given)
  const { input } = entry
  if (input === undefined) return runPrompt(entry, args, ctx)
  return chain(input.check(args), (checked) => {
    if (checked.ok) return runPrompt(entry, checked.value, ctx)
    // This is a protocol error, because a person provides the arguments, so there is no model to read an error
    // result.
    throw invalidParams(
      `Invalid arguments for the prompt ${entry.item.name}:\n${describeIssues(checked.issues)}`,
    )
  })
}

function runPrompt(entry: PromptEntry, args: unknown, ctx: CallContext): Awaitable<HandlerResult> {
  const { name, description } = entry.item
  return chain(entry.handler.call(entry.definition, args, ctx), (value): HandlerResult => {
    if (isInputRequired(value)) return toNeedsInput(value)
    return isRelayed(value) ? value.result : complete(toPromptResult(value, name, description))
  })
}

function readArguments(entry: PromptEntry, given: unknown = {}): JsonObject {
  if (!isObject(given)) throw invalidParams('The member "arguments" must be an object of strings')
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== 'string')
      throw invalidParams(`The argument ${JSON.stringify(shorten(name))} must be a string`)
  }
  for (const { name, required } of entry.arguments) {
    if (required === true && !Object.hasOwn(given, name)) throw invalidParams(`Missing argument: ${name}`)
  }
  if (entry.input !== undefined) return given
  // Only declared arguments are passed, so that a handler does not receive arguments that are missing from its
  // types.
  const known = entry.arguments.filter(({ name }) => Object.hasOwn(given, name))
  return Object.fromEntries(known.map(({ name }) => [name, given[name]]))
}

function buildPrompt(definition: AnyPrompt, schemas: SchemaEngine, logger: Logger): PromptEntry {
  const { name, title, description, argsSchema, icons, _meta } = definition
  checkName('prompt', name)
  const subject = { kind: 'prompt', name }
  if (argsSchema !== undefined && definition.arguments !== undefined) {
    throw invalid(subject, 'needs either an argsSchema or arguments, not both')
  }
  const site: SchemaSite = { ...subject, field: 'argsSchema' }
  const input = argsSchema && schemas.input(argsSchema, site)
  const args =
    input === undefined
      ? checkArguments(subject, definition.arguments ?? [])
      : promptArguments(input.jsonSchema, site)
  const listed = args.length === 0 ? {} : { arguments: args }
  return {
    item: publish(subject, { name, title, description, ...listed, icons, _meta }) as Prompt,
    arguments: args,
    input,
    complete: checkCompleters(
      subject,
      definition.complete,
      args.map((argument) => argument.name),
    ),
    ...compileHandler(subject, definition, logger),
  }
}

function checkArguments(subject: Subject, given: readonly PromptArgument[]): readonly PromptArgument[] {
  if (!Array.isArray(given)) throw invalid(subject, 'needs its arguments in an array')
  const seen = new Set<string>()
  return (given as readonly PromptArgument[]).map(({ name, title, description, required }) => {
    checkName('prompt argument', name)
    if (seen.has(name)) throw invalid(subject, `has the argument ${JSON.stringify(name)} twice`)
    seen.add(name)
    return publish(subject, { name, title, description, required }) as PromptArgument
  })
}
