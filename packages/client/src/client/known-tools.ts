import {
  encodeHeaderText,
  findHeaderParameters,
  type HeaderParameter,
  isObject,
  type JsonObject,
  type Tool,
} from '@jetway/core/protocol'
import { BoundedMap } from '../util/bounded-map.ts'
import { weightOf } from '../util/weight.ts'

type KnownTool = Pick<Tool, 'outputSchema'> & {
  readonly parameters: readonly HeaderParameter[]
  readonly needsTask: boolean
}

export class KnownTools {
  readonly #tools: BoundedMap<string, KnownTool>

  /**
   * @param maxWeight - the maximum size of all tools, in bytes, because a server may list different tools
   * each time
   */
  constructor(maxWeight: number) {
    this.#tools = new BoundedMap({ maxEntries: 10_000, maxWeight, weigh })
  }

  outputSchema(name: string): JsonObject | undefined {
    return this.#tools.get(name)?.outputSchema
  }

  /** Whether the tool can be called only as a task. */
  needsTask(name: string): boolean {
    return this.#tools.get(name)?.needsTask === true
  }

  /**
   * Adds a tool. Returns the problem with its headers, if any. See
   * https://modelcontextprotocol.io/specification/2026-07-28/server/tools#x-mcp-header.
   */
  add({ name, inputSchema, outputSchema, execution }: Tool): string | undefined {
    const found = findHeaderParameters(inputSchema)
    this.#tools.set(name, {
      parameters: found.ok ? found.parameters : [],
      needsTask: isObject(execution) && execution.taskSupport === 'required',
      ...(isObject(outputSchema) && { outputSchema }),
    })
    return found.ok ? undefined : found.problem
  }

  headersFor(name: string, args: JsonObject): Readonly<Record<string, string>> {
    const headers: Record<string, string> = {}
    for (const { header, path } of this.#tools.get(name)?.parameters ?? []) {
      const value = valueAt(args, path)
      if (typeof value === 'string') headers[header] = encodeHeaderText(value)
      else if (typeof value === 'boolean' || Number.isSafeInteger(value)) headers[header] = String(value)
    }
    return headers
  }
}

const weigh = (name: string, tool: KnownTool): number => weightOf(name) + weightOf(tool)

function valueAt(args: JsonObject, path: readonly string[]): unknown {
  let at: unknown = args
  for (const name of path) {
    if (!isObject(at) || !Object.hasOwn(at, name)) return undefined
    at = at[name]
  }
  return at
}
