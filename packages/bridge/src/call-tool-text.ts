import type { JsonObject } from '@jetway/core/protocol'
import type { RequestOptions } from '@jetway/client'
import { type HostToolResult, toHostResult } from './host-result.ts'
import type { Tools } from './source.ts'

/** Thrown if the tool returned an error. The message is the error's text. */
export class ToolFailedError extends Error {
  readonly tool: string
  readonly result: HostToolResult

  constructor(tool: string, result: HostToolResult) {
    super(result.text === '' ? `The tool ${tool} failed` : result.text)
    this.name = 'ToolFailedError'
    this.tool = tool
    this.result = result
  }
}

/**
 * Returns the text of a result, or undefined if it is empty.
 *
 * @throws ToolFailedError, and the errors of `callTool`
 */
export async function callToolText(
  from: Pick<Tools, 'callTool'>,
  name: string,
  args: JsonObject = {},
  options: RequestOptions = {},
): Promise<string | undefined> {
  const unbounded = { maxText: Infinity, maxData: Infinity, maxParts: Infinity }
  const result = toHostResult(await from.callTool(name, args, options), unbounded)
  if (result.isError) throw new ToolFailedError(name, result)
  return result.parts.length === 0 ? undefined : result.text
}
