import type { AnySchema, InferInput, InferOutput } from '@jetway/core'
import type { CallToolResult } from '@jetway/core/protocol'

/** A tool by its definition, such as `defineTool` makes: what it takes and gives is known to the compiler. */
export interface TypedTool {
  readonly name: string
  readonly inputSchema?: AnySchema | undefined
  readonly outputSchema?: AnySchema | undefined
  readonly handler: unknown
}

/** What a tool takes, before defaults. */
export type ToolInput<T extends TypedTool> = [NonNullable<T['inputSchema']>] extends [never]
  ? Readonly<Record<string, unknown>>
  : InferInput<NonNullable<T['inputSchema']>>

/** The structured value that a tool gives. */
export type ToolOutput<T extends TypedTool> = [NonNullable<T['outputSchema']>] extends [never]
  ? unknown
  : InferOutput<NonNullable<T['outputSchema']>>

/** A result whose structured value is of a known type; undefined for a failure, and at revisions without such values. */
export type TypedToolResult<Structured> = Omit<CallToolResult, 'structuredContent'> & {
  readonly structuredContent?: Structured
}

/** The arguments of a call: left out where the tool needs none. */
export type ToolArgs<T extends TypedTool> =
  {} extends ToolInput<T> ? readonly [args?: ToolInput<T>] : readonly [args: ToolInput<T>]
