import type { CallToolResult, Tool } from '@jetway/core/protocol'
import type { Client } from '../client.ts'
import type { RequestOptions } from '../options.ts'

/** A tool of one of the servers that a host has. */
export interface SourceTool {
  /** What the host calls the server. */
  readonly server: string
  /** By which the tool is called. */
  readonly name: string
  readonly tool: Tool
}

/** After which of these the tools may be other ones. */
export type SourceEvent = 'mcp_connected' | 'mcp_reconnected' | 'mcp_list_changed' | 'mcp_server_removed'

/** Where tools come from: a `ClientManager` is one. */
export interface ToolSource {
  tools(): Promise<readonly SourceTool[]>
  callTool(
    name: string,
    args?: Readonly<Record<string, unknown>>,
    options?: RequestOptions,
  ): Promise<CallToolResult>
  /** Where it can tell of changes. Returns what ends that. */
  on?(
    event: SourceEvent,
    listener: (event: { readonly server: string; readonly list?: string }) => void,
  ): () => void
}

/** Several servers, or one. */
export type Tools = ToolSource | Client

/** One server as a source: its tools have the names that it gives them. */
export function sourceOf(tools: Tools): ToolSource {
  if (!('listTools' in tools)) return tools
  const server = (): string => tools.name ?? tools.server?.info?.name ?? ''
  return {
    tools: async () => (await tools.listTools()).map((tool) => ({ server: server(), name: tool.name, tool })),
    callTool: (name, args, options) => tools.callTool(name, args, options),
    on: (event, listener) => {
      if (event !== 'mcp_list_changed') return () => {}
      const tell = (): void => listener({ server: server(), list: 'tools' })
      const offs = [tools.on('toolsChanged', tell), tools.on('gap', tell)]
      return () => {
        for (const off of offs) off()
      }
    },
  }
}
