import { type CallToolResult, describeIssues, type JsonObject } from '@jetway/core/protocol'
import { OutputMismatchError } from '../errors.ts'
import { foreignSchema } from './foreign-schema.ts'

/** Schemas that stay compiled; the one that was not used for longest goes first. */
const MAX_COMPILED = 200

/** Gives what is wrong with a value, in words; undefined for nothing. */
type Check = (value: unknown) => string | undefined

/**
 * Holds tools' structured results against what their servers have listed. The library for it is loaded with the first
 * such result. A schema that does not compile, or could cost too much, leaves its tool unchecked, which is reported
 * once; data that would cost too much is not looked at.
 */
export class OutputChecks {
  readonly #onError: (error: Error) => void
  /** By the schema's text, so that listing tools again compiles nothing. */
  readonly #compiled = new Map<string, Promise<Check | undefined>>()

  constructor(onError: (error: Error) => void) {
    this.#onError = onError
  }

  /** @throws OutputMismatchError */
  async check(tool: string, schema: JsonObject | undefined, result: CallToolResult): Promise<void> {
    // A failure has no structured value to speak of; where a revision has none at all, nothing is missing.
    if (schema === undefined || result.isError === true || result.structuredContent === undefined) return
    const check = await this.#checkFor(tool, schema)
    const problem = check?.(result.structuredContent)
    if (problem !== undefined) throw new OutputMismatchError(tool, problem, result)
  }

  #checkFor(tool: string, schema: JsonObject): Promise<Check | undefined> {
    const text = JSON.stringify(schema)
    const known = this.#compiled.get(text)
    this.#compiled.delete(text)
    const compiled = known ?? this.#compile(tool, schema)
    this.#compiled.set(text, compiled)
    const [oldest] = this.#compiled.keys()
    if (this.#compiled.size > MAX_COMPILED && oldest !== undefined) this.#compiled.delete(oldest)
    return compiled
  }

  async #compile(tool: string, schema: JsonObject): Promise<Check | undefined> {
    try {
      const { schema: bounded, affords } = foreignSchema(schema)
      const { tieredEngine } = await import('@jetway/core/schema')
      const compiled = tieredEngine().output(bounded, { kind: 'tool', name: tool, field: 'outputSchema' })
      return (value) => {
        const checked = affords(value) ? compiled.check(value, JSON.stringify(value)) : undefined
        return checked?.ok === false ? describeIssues(checked.issues, 3) : undefined
      }
    } catch (cause) {
      const text = cause instanceof Error ? cause.message : String(cause)
      this.#onError(new Error(`The outputSchema of the tool ${tool} is not checked: ${text}`, { cause }))
      return undefined
    }
  }
}
