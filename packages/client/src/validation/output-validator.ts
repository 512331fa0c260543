import { type CallToolResult, describeIssues, type JsonObject } from '@jetway/core/protocol'
import { OutputMismatchError } from '../errors.ts'
import { BoundedMap } from '../util/bounded-map.ts'
import { boundSchema } from './schema-cost.ts'

type Check = (value: unknown) => string | undefined

/**
 * Validates structured results against the schemas of their tools. A schema that does not compile, or that
 * costs too much, is reported once and not checked. A value that costs too much is not checked either.
 */
export class OutputValidator {
  readonly #onError: (error: Error) => void
  /** By the schema's text, so that a tool that is listed again is not compiled again. */
  readonly #compiled = new BoundedMap<string, Promise<Check | undefined>>(200)

  constructor(onError: (error: Error) => void) {
    this.#onError = onError
  }

  /** @throws OutputMismatchError */
  async check(tool: string, schema: JsonObject | undefined, result: CallToolResult): Promise<void> {
    if (schema === undefined || result.isError === true || result.structuredContent === undefined) return
    const text = JSON.stringify(schema)
    const compiled = this.#compiled.get(text) ?? this.#compile(tool, schema)
    this.#compiled.set(text, compiled)
    const check = await compiled
    const problem = check?.(result.structuredContent)
    if (problem !== undefined) throw new OutputMismatchError(tool, problem, result)
  }

  async #compile(tool: string, schema: JsonObject): Promise<Check | undefined> {
    try {
      const { schema: bounded, affords } = boundSchema(schema)
      const { tieredEngine } = await import('@jetway/core/schema')
      const compiled = tieredEngine().output(bounded, { kind: 'tool', name: tool, field: 'outputSchema' })
      return (value) => {
        const checked = affords(value) ? compiled.check(value, JSON.stringify(value)) : undefined
        return checked?.ok === false ? describeIssues(checked.issues, 3) : undefined
      }
    } catch (cause) {
      const text = cause instanceof Error ? cause.message : String(cause)
      this.#onError(new Error(`The outputSchema of the tool ${tool} is not used: ${text}`, { cause }))
      return undefined
    }
  }
}
