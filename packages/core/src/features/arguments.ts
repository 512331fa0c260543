import type { AnySchema, InferArguments } from '../schema/types.ts'

/** What a tool's handler receives: what its `inputSchema` makes of the arguments. */
export type ToolArguments<I extends AnySchema | undefined> = I extends AnySchema
  ? InferArguments<I>
  : Record<string, never>
