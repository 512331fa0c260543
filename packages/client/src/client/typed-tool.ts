import type { AnySchema, InferInput, InferOutput } from '@jetway/core'
import type { CallToolResult, JsonObject } from '@jetway/core/protocol'

/** A tool definition as returned by `defineTool`. `callTool` infers its types from it. */
export interface TypedTool {
  readonly name: string
  readonly inputSchema?: AnySchema | undefined
  readonly outputSchema?: AnySchema | undefined
  readonly handler: unknown
}

/** A tool's arguments, before defaults are applied. */
export type ToolInput<T extends TypedTool> = [NonNullable<T['inputSchema']>] extends [never]
  ? JsonObject
  : InferInput<NonNullable<T['inputSchema']>>

/**
 * A tool's `structuredContent`. With `wrapOutput: 'items'`, it is the value or `{ items: value }`, depending on
 * the connection's revision.
 */
export type ToolOutput<T extends TypedTool> = [NonNullable<T['outputSchema']>] extends [never]
  ? unknown
  : MaybeWrapped<T, InferOutput<NonNullable<T['outputSchema']>>>

type MaybeWrapped<T, Value> = T extends { readonly wrapOutput: infer Member extends string }
  ? Value | { readonly [Name in Member]: Value }
  : Value

/**
 * A typed result. `structuredContent` is undefined if the tool failed, and in revisions without structured
 * content.
 */
export type TypedToolResult<Structured> = Omit<CallToolResult, 'structuredContent'> & {
  readonly structuredContent?: Structured
}

/** The arguments of a call. They are optional if the tool requires none. */
export type ToolArgs<T extends TypedTool> =
  {} extends ToolInput<T> ? readonly [args?: ToolInput<T>] : readonly [args: ToolInput<T>]
