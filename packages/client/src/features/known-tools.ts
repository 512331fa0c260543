import {
  encodeHeaderText,
  findHeaderParameters,
  type HeaderParameter,
  isObject,
  type JsonObject,
  type Tool,
} from '@jetway/core/protocol'

/** What a call needs to know of its tool. */
interface Known {
  readonly parameters: readonly HeaderParameter[]
  readonly outputSchema: JsonObject | undefined
}

/** Names that are remembered; a list has fewer. */
const MAX_TOOLS = 10_000

/** What the tools' lists have said, for the calls of these tools. */
export class KnownTools {
  readonly #tools = new Map<string, Known>()

  outputSchema(name: string): JsonObject | undefined {
    return this.#tools.get(name)?.outputSchema
  }

  /**
   * Takes note of a listed tool; what is wrong with it where a client must not show it.
   *
   * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#x-mcp-header
   */
  note({ name, inputSchema, outputSchema }: Tool): string | undefined {
    const found = contained(() => findHeaderParameters(inputSchema))
    const known: Known = {
      parameters: found?.ok === true ? found.parameters : [],
      outputSchema: isObject(outputSchema) ? outputSchema : undefined,
    }
    this.#tools.delete(name)
    this.#tools.set(name, known)
    const [oldest] = this.#tools.keys()
    if (this.#tools.size > MAX_TOOLS && oldest !== undefined) this.#tools.delete(oldest)
    if (found === undefined) return 'has an inputSchema that is nested too deeply'
    return found.ok ? undefined : found.problem
  }

  /** The headers that repeat a call's arguments. What no header carries is left to the body. */
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

/** A schema can be nested deeper than the stack. */
function contained<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}

function valueAt(args: JsonObject, path: readonly string[]): unknown {
  let at: unknown = args
  for (const name of path) {
    if (!isObject(at) || !Object.hasOwn(at, name)) return undefined
    at = at[name]
  }
  return at
}
