import type { CallToolResult, Tool, JsonObject } from '@jetway/core/protocol'
import type { Client, RequestOptions } from '@jetway/client'

/** A server's tool in the list of a {@link ToolSource}. */
export interface SourceTool {
  /** The host's name for the server. */
  readonly server: string
  /** The name to use with `callTool`. */
  readonly name: string
  readonly tool: Tool
}

/** Events after which the tools may have changed. */
export type SourceEvent = 'connected' | 'reconnected' | 'listChanged' | 'serverRemoved'

/** A source of tools with events, such as a `ClientManager`. */
export interface ToolSource {
  tools(): Promise<readonly SourceTool[]>
  callTool(name: string, args?: JsonObject, options?: RequestOptions): Promise<CallToolResult>
  /** Adds a listener, and returns a function that removes it. */
  on?(
    event: SourceEvent,
    listener: (event: { readonly server: string; readonly list?: string }) => void,
  ): () => void
}

/** A source of tools: a client, a manager, or any object that lists and calls tools. */
export type Tools = ToolSource | Client

/** Returns the source, or converts a client to a source. A client's tools keep their own names. */
export function sourceOf(tools: Tools): ToolSource {
  if (!('listTools' in tools)) return tools
  const server = (): string => tools.name ?? tools.server?.info?.name ?? ''
  return {
    tools: async () => (await tools.listTools()).map((tool) => ({ server: server(), name: tool.name, tool })),
    callTool: (name, args, options) => tools.callTool(name, args, options),
    on: (event, listener) => {
      if (event !== 'listChanged') return () => {}
      const tell = (): void => listener({ server: server(), list: 'tools' })
      const offs = [tools.on('toolsChanged', tell), tools.on('changesMissed', tell)]
      return () => {
        for (const off of offs) off()
      }
    },
  }
}
