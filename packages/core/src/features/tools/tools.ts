import { invalidParams, methodNotFound } from '../../errors.ts'
import { isObject } from '../../protocol/jsonrpc.ts'
import { Method } from '../../protocol/methods.ts'
import { WRAPPED_OUTPUT } from '../../protocol/revisions/base.ts'
import type { Tool } from '../../protocol/types.ts'
import type { Awaitable } from '../../util/promises.ts'
import type { CallContext } from '../../call/context.ts'
import type { MethodEntry } from '../../call/method-table.ts'
import type { HandlerResult } from '../../call/result.ts'
import type { CompiledInput, CompiledOutput, JsonSchema, SchemaEngine } from '../../schema/types.ts'
import type { ToolUi } from '../apps/tool-ui.ts'
import type { compileAsks } from './asks.ts'
import {
  checkResultBytes,
  checkToolName,
  invalid,
  publish,
  shorten,
  type Subject,
} from '../registry/checks.ts'
import { headerParameters, parameterFault } from './header-parameters.ts'
import { Listing } from '../registry/listing.ts'
import { memoize } from '../../util/memoize.ts'
import { compileHandler, type Guarded, ifVisible } from '../registry/handler.ts'
import { type RegistrationContext, Registry } from '../registry/registry.ts'
import {
  byPriority,
  checkRelated,
  checkTaskSupport,
  createAliases,
  normaliseHints,
  Relations,
  toMeta,
} from './tool-metadata.ts'
import { sessionEntries, type SessionRegistry } from '../session-registry.ts'
import { callTool, type ToolEntry, toolFailure, type ToolTasks, type ToolTasksOptions } from './tool-call.ts'
import type { AnyTool, ToolOptions } from './tool-types.ts'
import { wrapOutput } from './wrap-output.ts'

interface ToolsOptions extends ToolOptions, RegistrationContext {
  readonly schemas: SchemaEngine
  /** Runs calls as tasks. */
  readonly tasks?: { calls(options: ToolTasksOptions): ToolTasks } | undefined
  /** Supports tools with `asks`. */
  readonly compileAsks?: typeof compileAsks | undefined
  /** The ids of the server's extensions. */
  readonly extensions: ReadonlySet<string>
  /** Supports tools with user interfaces. */
  readonly ui?: ToolUi | undefined
}

/** A server's tools, and the methods that serve them. */
export interface Tools {
  readonly registry: Registry<AnyTool, ToolEntry>
  /** Creates an empty registry for the tools of one session. */
  createRegistry(): Registry<AnyTool, ToolEntry>
  readonly methods: readonly (readonly [string, MethodEntry])[]
  /** Whether a tool that can run as a task has ever been added. */
  readonly offerTasks: () => boolean
}

export function createTools(options: ToolsOptions): Tools {
  const { caching, extensions, logger, pageSize, tasks, ui } = options
  const relations = new Relations({ inDescription: options.describeRelations === true, logger })
  let taskable = false
  let withUi = false
  const createRegistry = (): Tools['registry'] =>
    new Registry<AnyTool, ToolEntry>({
      kind: 'tool',
      key: (definition) => definition.name,
      checkMembers: options.checkMembers,
      build: (definition) => {
        const entry = buildTool(definition, options, relations)
        taskable ||= entry.taskSupport !== undefined
        withUi ||= entry.hasUi
        return entry
      },
    })
  const registry = createRegistry()
  const offerTasks = (): boolean => taskable && tasks !== undefined
  const findAlias = createAliases(registry, logger)
  const findIn: FindIn = (name, own) =>
    own?.tools.get(name as string) ?? registry.get(name as string) ?? findAlias(name)
  const find: Find = (name, ctx) => findIn(name, sessionEntries(ctx))
  const calls = tasks?.calls({ extensions, find, unknown: unknownTool })
  const listing = new Listing<ToolEntry, Tool>({
    member: 'tools',
    key: (tool) => tool.name,
    project: (revision, tool) => revision.projectTool(tool),
    pageSize,
    caching,
    among: (seen, all) => relations.among(seen, all),
  })
  const sorted = memoize(byPriority)
  const list: MethodEntry['handle'] = (params, ctx) => {
    if (!registry.offered) throw methodNotFound()
    relations.check(registry.entries(), (name) => registry.get(name) !== undefined)
    const all = registry.entriesWith(sessionEntries(ctx)?.tools)
    const shown = (withUi && ui?.plainFor(ctx.client)?.(all)) || all
    // The extensions that a client declares determine which form of a tool it sees.
    const varies = ui === undefined ? 'never' : 'always'
    return listing.list(options.orderByPriority ? sorted(shown) : shown, params, ctx, varies)
  }
  return {
    registry,
    createRegistry,
    methods: [
      [Method.ListTools, { handle: list }],
      [
        Method.CallTool,
        {
          ...callEntry(registry, findIn, calls),
          ...(calls !== undefined && {
            startTask: (params, ctx) => (taskable ? calls.begin(params, ctx) : undefined),
          }),
        },
      ],
    ],
    offerTasks,
  }
}

type Find = ToolTasksOptions['find']
type FindIn = (name: unknown, own: SessionRegistry | undefined) => ToolEntry | undefined

function callEntry(registry: Tools['registry'], findIn: FindIn, calls: ToolTasks | undefined): MethodEntry {
  return {
    handle: (params, ctx) => {
      if (!registry.offered) throw methodNotFound()
      const { name } = params
      // Some clients send null if there are no arguments.
      const args = params['arguments'] ?? {}
      if (typeof name !== 'string') throw invalidParams('The member "name" must be a string')
      const entry = findIn(name, ctx.scope.session?.registry as SessionRegistry | undefined)
      if (entry === undefined) throw unknownTool(name)
      const { visible, scopes, taskSupport, inHeaders } = entry
      if (
        visible === undefined &&
        scopes === undefined &&
        taskSupport === undefined &&
        inHeaders === undefined
      ) {
        if (!isObject(args)) throw noArguments()
        return callTool(entry, args, ctx)
      }
      return ifVisible<HandlerResult>(
        entry,
        ctx,
        () => unknownTool(name),
        () => callWith(calls, entry, args, ctx),
      )
    },
    failure: toolFailure,
    target: ({ name }, own) => findIn(name, own as SessionRegistry | undefined),
  }
}

const unknownTool = (name: string): Error => invalidParams(`Unknown tool: ${shorten(name)}`)
const noArguments = (): Error => invalidParams('The member "arguments" must be an object')

/** Calls a tool that may run as a task, or whose parameters are repeated in headers. */
function callWith(
  calls: ToolTasks | undefined,
  entry: ToolEntry,
  args: unknown,
  ctx: CallContext,
): Awaitable<HandlerResult> {
  if (!isObject(args)) throw noArguments()
  // The outer server has compared the headers, and has decided whether the call is a task.
  if (ctx.outer !== undefined) return callTool(entry, args, ctx)
  if (entry.taskSupport !== undefined) calls?.demand(entry, ctx)
  // For a task, the headers were compared before the task started.
  if (entry.inHeaders !== undefined && ctx.task === undefined && ctx.revision.parameterHeaders) {
    const mismatch = parameterFault(entry.inHeaders, args, ctx.scope.exchange)
    if (mismatch !== undefined) {
      ctx.scope.exchange.refused?.('headerMismatch')
      throw mismatch
    }
  }
  const task = entry.taskSupport === undefined ? undefined : calls?.instead(entry, args, ctx)
  return task ?? callTool(entry, args, ctx)
}

/**
 * Adds the schemas as getters, so that they are read only when the tool is listed. Reading a schema may convert
 * it.
 */
function withSchemas(
  tool: Omit<Tool, 'inputSchema'>,
  input: CompiledInput,
  output: CompiledOutput | undefined,
): Tool {
  return Object.defineProperties(tool as Tool, {
    inputSchema: { enumerable: true, get: () => input.jsonSchema },
    ...(output !== undefined && { outputSchema: { enumerable: true, get: () => output.jsonSchema } }),
  })
}

function buildTool(definition: AnyTool, options: ToolsOptions, relations: Relations): ToolEntry {
  const { name, title, description, inputSchema, outputSchema, icons } = definition
  const isRelayed = definition.relayed === true
  const schemas = isRelayed ? UNCHECKED : options.schemas
  const strict = definition.strictInput ?? options.strictInput ?? false
  checkToolName(name)
  const subject = { kind: 'tool', name }
  checkResultBytes(subject, definition.maxResultBytes)
  const related = checkRelated(subject, definition.relatedTools)
  const input =
    inputSchema === undefined && !isRelayed
      ? withoutArguments({ strict })
      : schemas.input(inputSchema ?? NO_PARAMETERS, { ...subject, field: 'inputSchema' }, { strict })
  const output = outputSchema && schemas.output(outputSchema, { ...subject, field: 'outputSchema' })
  const wrapped = wrapOutput(subject, definition.wrapOutput, output)
  const annotations = normaliseHints(subject, definition.annotations)
  const handler = compileHandler(subject, definition, options.logger)
  const ui = uiOf(subject, definition, { by: options.ui, visible: handler.visible })
  const _meta = toMeta(subject, ui === undefined ? definition : { ...definition, _meta: ui._meta })
  const shown = publish(subject, { name, title, description, annotations, icons, _meta })
  const alone = withSchemas(
    {
      ...(shown as Omit<Tool, 'inputSchema'>),
      ...(wrapped !== undefined && { [WRAPPED_OUTPUT]: wrapped.outputSchema }),
      ...(definition.taskSupport !== undefined && { execution: { taskSupport: definition.taskSupport } }),
    },
    input,
    output,
  )
  return {
    label: `The tool ${JSON.stringify(name)}`,
    item: relations.describe(alone, related),
    alone,
    related,
    priority: definition.priority ?? 0,
    alias: definition.alias,
    hasUi: ui !== undefined,
    ...handler,
    visible: ui?.visible ?? handler.visible,
    input,
    // A deferred schema does not have this keyword.
    inHeaders: input.isDeferred ? undefined : headerParameters(subject, input.jsonSchema),
    output,
    wrapped,
    validateOutput: definition.validateOutput ?? options.validateOutput ?? true,
    maxResultBytes: definition.maxResultBytes,
    ...checkTaskSupport(subject, definition),
    asks: asksOf(subject, definition.asks, options.compileAsks),
  }
}

/**
 * Returns undefined for a tool without a user interface. If the server lacks the extension, `_meta.ui` is
 * left unchanged.
 */
function uiOf(
  subject: Subject,
  definition: AnyTool,
  { by, visible }: { readonly by: ToolUi | undefined; readonly visible: Guarded['visible'] },
): ReturnType<ToolUi['compile']> {
  if (by !== undefined) return by.compile(subject, definition, visible)
  if (definition.ui === undefined) return undefined
  throw invalid(
    subject,
    'has a ui, which needs an extension: new McpServer(info, { extensions: [apps()] }) with apps of @jetway/core/apps',
  )
}

/**
 * For tools without parameters, see https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool.
 */
const NO_PARAMETERS = Object.freeze({ type: 'object', properties: {}, additionalProperties: false })

/** Publishes schemas unchanged, and accepts all values. */
const UNCHECKED: SchemaEngine = {
  input: (schema) => ({ jsonSchema: schema as JsonSchema, check: (value) => ({ ok: true, value }) }),
  output: (schema) => ({
    jsonSchema: schema as JsonSchema,
    check: (_value, json = '') => ({ ok: true, json }),
  }),
}

/**
 * Checks the arguments of a tool without parameters. Only a strict tool rejects arguments, because some
 * clients send them anyway.
 */
const withoutArguments = ({ strict }: { readonly strict: boolean }): CompiledInput => ({
  jsonSchema: NO_PARAMETERS,
  check: (args) => {
    const unknown = strict ? Object.keys(args as object) : []
    if (unknown.length === 0) return { ok: true, value: {} }
    return { ok: false, issues: unknown.map((key) => ({ path: [key], message: 'is not a known property' })) }
  },
})

function asksOf(
  subject: Subject,
  asks: object | undefined,
  compile: ToolsOptions['compileAsks'],
): ToolEntry['asks'] {
  if (asks === undefined || compile !== undefined) return compile?.(subject, asks)
  throw invalid(subject, 'has asks, which need a server made with McpServer of @jetway/core')
}
