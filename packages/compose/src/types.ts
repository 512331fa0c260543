import type { AnySchema, ClientView, InferInput } from '@jetway/core'
import type { Awaitable } from '@jetway/core/compose'

/** What a source says about itself, for the instructions of the server that contains it. */
export interface Described {
  readonly title?: string
  readonly instructions?: (client: ClientView) => Awaitable<string | undefined>
}

/** A tool whose types are known, as `defineTool` returns it. */
export interface TypedTool {
  readonly name: string
  readonly inputSchema?: AnySchema | undefined
  readonly handler: unknown
}

/** Tools by their names. */
export type TypedTools = Readonly<Record<string, TypedTool>>

/** The arguments that a client sends to a tool. */
export type ArgumentsOf<T extends TypedTool> = [NonNullable<T['inputSchema']>] extends [never]
  ? {}
  : InferInput<NonNullable<T['inputSchema']>>
