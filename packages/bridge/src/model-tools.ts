import { isObject, type JsonObject } from '@jetway/core/protocol'
import { failedResult, type HostToolResult } from './host-result.ts'
import type { HostTool } from './host-tool.ts'
import { modelNames, shortened } from './model-names.ts'
import { type ModelSchema, modelSchema, type SchemaDialect } from './model-schema.ts'

interface ModelTool {
  readonly name: string
  readonly description: string
  readonly schema: ModelSchema['schema']
  readonly run: (input: unknown, signal: AbortSignal | undefined) => Promise<HostToolResult>
  readonly tool: HostTool
}

export interface ModelCall {
  readonly id: string
  readonly name: string
  /** The arguments as an object or its JSON text. */
  readonly input: unknown
}

/** Tools for one model API, with a function that runs the tools that the model calls. */
export interface ApiTools<ApiTool, Reply, Answer> {
  /** The tools to include in the request to the API. */
  readonly tools: ApiTool[]
  /** Finds a tool by the name that the model uses. */
  readonly tool: (name: string) => HostTool | undefined
  /**
   * Runs the tool calls in the model's reply in order, and returns a result for each of them. Consecutive calls
   * run concurrently if their tools allow it.
   *
   * @throws the signal's reason
   */
  readonly run: (reply: Reply, options?: RunOptions) => Promise<Answer[]>
}

/** Options for one run of the tools that a model has called. */
export interface RunOptions {
  /** A signal that ends all calls. `run` then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** Options for the tools of every model API. */
export interface ModelToolsOptions {
  /**
   * The maximum length of a description, in characters. Longer descriptions are truncated. @default no limit
   */
  readonly maxDescription?: number
}

export class ModelTools {
  readonly all: readonly ModelTool[]
  readonly #byName: ReadonlyMap<string, ModelTool>

  constructor(all: readonly ModelTool[]) {
    this.all = all
    this.#byName = new Map(all.map((tool) => [tool.name, tool]))
  }

  tool(name: string): HostTool | undefined {
    return this.#byName.get(name)?.tool
  }

  /** Runs calls in order, or concurrently if the tools allow it. @throws the signal's reason */
  async run<Answer>(
    calls: readonly ModelCall[],
    answer: (id: string, result: HostToolResult) => Answer,
    { signal }: RunOptions = {},
  ): Promise<Answer[]> {
    const answers: Answer[] = []
    for (const group of groups(calls, ({ name }) => this.tool(name)?.metadata.concurrent === true)) {
      signal?.throwIfAborted()
      const run = async (call: ModelCall): Promise<Answer> => answer(call.id, await this.#run(call, signal))
      answers.push(...(await Promise.all(group.map(run))))
    }
    return answers
  }

  async #run({ name, input }: ModelCall, signal: AbortSignal | undefined): Promise<HostToolResult> {
    const tool = this.#byName.get(name)
    if (tool === undefined) return failedResult(new Error(`There is no tool ${JSON.stringify(name)}`))
    return tool.run(input, signal)
  }
}

/** Lists the tools with names for models. @throws TypeError for duplicate tools */
export async function modelTools(
  tools: readonly HostTool[],
  dialect: SchemaDialect,
  { maxDescription = Infinity }: ModelToolsOptions,
): Promise<ModelTools> {
  const names = await modelNames(tools)
  return new ModelTools(
    tools.flatMap((tool, i): ModelTool[] => {
      const name = names[i]
      if (name === undefined) return []
      const { schema, originals } = modelSchema(tool.inputSchema, dialect)
      const made: ModelTool = {
        name,
        description: shortened(tool.description, maxDescription),
        schema,
        tool,
        async run(input, signal) {
          const args = argsOf(input)
          if (args === undefined) return failedResult(new Error('The arguments are not a JSON object'))
          const own = Object.entries(args).map(([key, value]) => [originals.get(key) ?? key, value])
          return await tool.execute(Object.fromEntries(own), signal === undefined ? {} : { signal })
        },
      }
      return [made]
    }),
  )
}

/** Reads the arguments. Models may omit them for a tool without parameters. */
function argsOf(input: unknown): JsonObject | undefined {
  if (input === undefined || input === null || input === '') return {}
  if (typeof input !== 'string') return isObject(input) ? input : undefined
  try {
    const parsed: unknown = JSON.parse(input)
    return isObject(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

/** Groups consecutive calls that may run concurrently. */
function groups<T>(items: readonly T[], together: (item: T) => boolean): readonly (readonly T[])[] {
  const all: T[][] = []
  let open: T[] | undefined
  for (const item of items) {
    const joins = together(item)
    if (open !== undefined && joins) open.push(item)
    else all.push((open = [item]))
    if (!joins) open = undefined
  }
  return all
}
