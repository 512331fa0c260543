import type { Tool } from '@jetway/core/protocol'
import type { ToolSource } from '../../src/index.ts'

/** Creates a source with one tool, and records the arguments of each `callTool`. */
export function sourceOf(
  name: string,
  inputSchema: Tool['inputSchema'],
): ToolSource & { readonly calls: unknown[] } {
  const calls: unknown[] = []
  return {
    calls,
    tools: () => Promise.resolve([{ server: 's', name, tool: { name, inputSchema } }]),
    callTool: (...call) => {
      calls.push(call)
      return Promise.resolve({ content: [] })
    },
  }
}
