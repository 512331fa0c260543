import { invalidParams, methodNotFound } from '../errors.ts'
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts'
import { Method } from '../protocol/methods.ts'
import type { Tool } from '../protocol/types.ts'
import type { CallContext } from '../runtime/context.ts'
import type { MethodEntry } from '../runtime/dispatcher.ts'
import type { CompiledInput, SchemaEngine } from '../schema/types.ts'
import { compileAsks } from './asks.ts'
import { checkHandler, checkIcons, checkTimeout, checkToolName, publish, shorten } from './checks.ts'
import { Listing } from './listing.ts'
import { Registry } from './registry.ts'
import { callTool, type ToolEntry, toolFailure } from './tool-call.ts'
import type { AnyTool } from './tool-types.ts'

export interface ToolsOptions {
  readonly schemas: SchemaEngine
  readonly validateOutput: boolean
  readonly strictInput: boolean
  readonly pageSize: number | undefined
}

/** The tools of a server and the methods that serve them. */
export interface Tools {
  readonly registry: Registry<AnyTool, ToolEntry>
  readonly methods: readonly (readonly [string, MethodEntry])[]
}

export function createTools(options: ToolsOptions): Tools {
  const registry = new Registry<AnyTool, ToolEntry>({
    kind: 'tool',
    key: (definition) => definition.name,
    build: (definition) => buildTool(definition, options),
  })
  const listing = new Listing<ToolEntry, Tool>({
    member: 'tools',
    key: (entry) => entry.tool.name,
    item: (entry) => entry.tool,
    project: (revision, tool) => revision.projectTool(tool),
    pageSize: options.pageSize,
  })
  const list: MethodEntry = {
    handle: (params, ctx) => {
      if (!registry.offered) throw methodNotFound()
      return listing.list(registry, params, ctx.revision)
    },
  }
  return {
    registry,
    methods: [
      [Method.ListTools, list],
      [Method.CallTool, callEntry(registry)],
    ],
  }
}

function callEntry(registry: Registry<AnyTool, ToolEntry>): MethodEntry {
  return {
    handle: (params, ctx) => {
      if (!registry.offered) throw methodNotFound()
      const { name, arguments: args = {} } = params
      if (typeof name !== 'string') throw invalidParams('The member "name" must be a string')
      const entry = registry.get(name)
      if (entry === undefined) throw invalidParams(`Unknown tool: ${shorten(name)}`)
      if (!isObject(args)) throw invalidParams('The member "arguments" must be an object')
      return callTool(entry, args, ctx)
    },
    failure: toolFailure,
    timeoutMs: (params: JsonObject) => registry.get(params['name'] as string)?.timeoutMs,
  }
}

function buildTool(definition: AnyTool, options: ToolsOptions): ToolEntry {
  const { name, title, description, inputSchema, outputSchema, annotations, icons, _meta } = definition
  const { schemas, validateOutput, strictInput } = options
  checkToolName(name)
  const subject = { kind: 'tool', name }
  checkHandler(subject, definition.handler)
  checkTimeout(subject, definition.timeoutMs)
  checkIcons(subject, icons)
  const input =
    inputSchema === undefined
      ? WITHOUT_ARGUMENTS
      : schemas.input(
          inputSchema,
          { ...subject, field: 'inputSchema' },
          { strict: definition.strictInput ?? strictInput },
        )
  const output = outputSchema && schemas.output(outputSchema, { ...subject, field: 'outputSchema' })
  const shown = publish(subject, { name, title, description, annotations, icons, _meta })
  const run = definition.handler as unknown as (args: unknown, ctx: CallContext) => unknown
  return {
    tool: {
      ...(shown as Omit<Tool, 'inputSchema'>),
      inputSchema: input.jsonSchema,
      ...(output !== undefined && { outputSchema: output.jsonSchema }),
    },
    input,
    output,
    validateOutput: definition.validateOutput ?? validateOutput,
    timeoutMs: definition.timeoutMs,
    asks: compileAsks(subject, definition.asks, schemas),
    handle: (args, ctx) => run.call(definition, args, ctx),
  }
}

/** https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool (tools with no parameters) */
const WITHOUT_ARGUMENTS: CompiledInput = {
  jsonSchema: Object.freeze({ type: 'object', additionalProperties: false }),
  check: (args) => {
    const unknown = Object.keys(args as object)
    if (unknown.length === 0) return { ok: true, value: {} }
    return { ok: false, issues: unknown.map((key) => ({ path: [key], message: 'is not a known property' })) }
  },
}
