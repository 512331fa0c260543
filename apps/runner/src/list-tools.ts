import type { McpServer } from '@jetway/core'

export interface ListedTool {
  readonly name: string
  readonly description?: string
}

interface ListAnswer {
  readonly result?: { readonly tools?: readonly ListedTool[] }
}

/** Returns the first page of a server's tools, in the newest revision that the server supports. */
export async function listTools(server: McpServer): Promise<readonly ListedTool[]> {
  const [newest] = server.runtime.revisions
  // Servers that support only revisions with sessions ignore this metadata.
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': newest?.version,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const answer = await server.handleMessage({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/list',
    params: { _meta },
  })
  const { result } = JSON.parse(answer ?? '{}') as ListAnswer
  return result?.tools ?? []
}
