import type { RequestOptions } from '../options.ts'
import { type HostToolResult, toHostResult } from './host-result.ts'
import type { Tools } from './source.ts'

/** A tool has failed. The message is what it says. */
export class ToolFailedError extends Error {
  readonly tool: string
  readonly result: HostToolResult

  constructor(tool: string, result: HostToolResult) {
    super(result.text === '' ? `The tool ${tool} has failed` : result.text)
    this.name = 'ToolFailedError'
    this.tool = tool
    this.result = result
  }
}

/**
 * Calls a tool for its text: undefined where it gives nothing at all. For programs; what a model reads needs no exception.
 *
 * @throws ToolFailedError where the tool fails, and what `callTool` throws
 */
export async function callToolText(
  from: Pick<Tools, 'callTool'>,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
  options: RequestOptions = {},
): Promise<string | undefined> {
  const unbounded = { maxText: Infinity, maxData: Infinity, maxParts: Infinity }
  const result = toHostResult(await from.callTool(name, args, options), unbounded)
  if (result.isError) throw new ToolFailedError(name, result)
  return result.parts.length === 0 ? undefined : result.text
}
