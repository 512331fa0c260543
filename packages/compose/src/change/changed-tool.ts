import {
  type RequestContext,
  type JsonSchema,
  type StandardSchema,
  ToolError,
  UsageError,
} from '@jetway/core'
import { describeIssues, isObject, type JsonObject } from '@jetway/core/protocol'
import type { Next, ToolChange } from './change-types.ts'
import { derive, type Tool } from '../definitions.ts'
import { type ArgumentMap, type ArgumentSurgery, changeArguments } from './surgery.ts'
import { isUnfinished, toolResultOf, Unfinished } from './tool-results.ts'

type Ctx = RequestContext<never, never, never>
type Run = (args: unknown, ctx: Ctx) => unknown
type AnyChange = ToolChange<Readonly<Record<string, unknown>>, never, never>

/**
 * Returns a tool with changes.
 *
 * @throws `ERR_MCP_COMPOSE` if the tool's schema does not allow them
 */
export function changeTool(tool: Tool, change: AnyChange): Tool {
  const { name = tool.name, title, description, annotations, args, result, handler } = change
  const surgery = args === undefined ? undefined : operate(tool, name, args)
  const run: Run = surgery?.run ?? ((given, ctx) => tool.handler.call(tool, given as never, ctx))
  return derive<Tool>(tool, {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(annotations !== undefined && { annotations: { ...tool.annotations, ...annotations } }),
    // The asks of a contained server read arguments by the tool's own names, so that server asks inside the call.
    ...(surgery !== undefined && { inputSchema: surgery.schema, asks: undefined }),
    ...(result !== undefined && { outputSchema: undefined, wrapOutput: undefined }),
    handler:
      handler === undefined && result === undefined
        ? run
        : wrapped(change, run, tool.outputSchema !== undefined),
  })
}

/** Runs the change's own handler, and then its `result`. */
const wrapped =
  ({ handler, result }: AnyChange, run: Run, isStructured: boolean): Run =>
  async (args, ctx) => {
    const next: Next = async (given = args as JsonObject) => {
      const value = await run(given, ctx)
      if (isUnfinished(value)) throw new Unfinished(value)
      return toolResultOf(value, isStructured)
    }
    try {
      const value = handler === undefined ? await next() : await handler(args as JsonObject, ctx, next)
      if (result === undefined || isUnfinished(value)) return value
      const finished = toolResultOf(value, isStructured && handler === undefined)
      return finished.isError ? finished : await result(finished, ctx)
    } catch (error) {
      if (error instanceof Unfinished) return error.value
      throw error
    }
  }

interface Operated {
  readonly schema: JsonSchema
  readonly run: Run
}

function operate(tool: Tool, name: string, changes: NonNullable<AnyChange['args']>): Operated {
  if (tool.asks !== undefined && tool.relayed !== true)
    throw new UsageError(
      'ERR_MCP_COMPOSE',
      `The tool ${JSON.stringify(tool.name)} cannot be changed at args: it has asks, which read its arguments; put it on a server, and change sourceOf(server)`,
    )
  const { inputSchema = NO_ARGUMENTS } = tool
  const library = isLibrary(inputSchema) ? inputSchema : undefined
  const json =
    library === undefined
      ? (inputSchema as JsonSchema)
      : library['~standard'].jsonSchema.input({ target: 'draft-2020-12' })
  const map = changeArguments(tool.name, json, changes as Readonly<Record<string, ArgumentSurgery>>)
  const run: Run = async (given, ctx) => {
    const args = await innerArguments(isObject(given) ? given : {}, map, { name, ctx })
    const parsed = library === undefined ? args : await parse(library, args, name)
    return tool.handler.call(tool, parsed as never, ctx)
  }
  return { schema: map.schema, run }
}

const NO_ARGUMENTS: JsonSchema = { type: 'object', properties: {} }

const isLibrary = (schema: object): schema is StandardSchema => '~standard' in schema

/** Returns the arguments of the tool. @throws ToolError for arguments that clients must not send */
async function innerArguments(
  given: JsonObject,
  { renamed, refused, hidden }: ArgumentMap,
  { name, ctx }: { readonly name: string; readonly ctx: Ctx },
): Promise<JsonObject> {
  const smuggled = Object.keys(given).filter((key) => refused.has(key))
  if (smuggled.length > 0)
    throw invalid(
      name,
      smuggled.map((key) => ({ path: [key], message: 'is not a known property' })),
    )
  const args = Object.entries(given).map(([key, value]) => [renamed.get(key) ?? key, value] as const)
  const values = await Promise.all(
    [...hidden].map(async ([key, value]) => [key, await hiddenValue(key, value, ctx)] as const),
  )
  return Object.fromEntries([...args, ...values])
}

async function hiddenValue(name: string, given: unknown, ctx: Ctx): Promise<unknown> {
  const value: unknown = typeof given === 'function' ? await (given as (ctx: Ctx) => unknown)(ctx) : given
  // A tool may treat a missing tenant or account as all of them.
  if (value === undefined)
    throw new TypeError(`The value of the hidden argument ${JSON.stringify(name)} is undefined for this call`)
  return value
}

/** Runs the checks and transforms of a library's schema, which the changed schema does not have. */
async function parse(schema: StandardSchema, args: JsonObject, name: string): Promise<unknown> {
  const parsed = await schema['~standard'].validate(args)
  if (parsed.issues === undefined) return parsed.value
  const issues = parsed.issues.map(({ path = [], message }) => ({
    path: path.map((part) => String(typeof part === 'object' ? part.key : part)),
    message,
  }))
  throw invalid(name, issues)
}

const invalid = (name: string, issues: Parameters<typeof describeIssues>[0]): Error =>
  new ToolError(`Invalid arguments for the tool ${name}:\n${describeIssues(issues)}`)
