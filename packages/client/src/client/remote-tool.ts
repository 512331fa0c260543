import type { StandardSchema } from '@jetway/core'

/**
 * A tool of a server that is implemented elsewhere, with the types of its arguments and its
 * `structuredContent`. `Output` is `unknown` for a tool without an output schema.
 */
export interface RemoteTool<Input, Output = unknown> {
  readonly name: string
  /** Used only for its type, because the server validates arguments. */
  readonly inputSchema?: StandardSchema<Input, Input>
  /** Used only for its type, because the client validates results with the schema that the server sends. */
  readonly outputSchema?: StandardSchema<Output, Output>
  readonly handler: undefined
}

/**
 * Creates a typed reference to a tool of another server, for `callTool`. `jetway types` writes such
 * constants.
 *
 * ```ts
 * const getOrder: RemoteTool<GetOrderInput, GetOrderOutput> = remoteTool('get_order')
 * const { structuredContent } = await client.callTool(getOrder, { id: 'A1' })
 * ```
 *
 * @param name - the name that the server lists
 */
export const remoteTool = <Input, Output = unknown>(name: string): RemoteTool<Input, Output> => ({
  name,
  handler: undefined,
})
