import type { McpServer } from '@jetway/core'

export interface ListedTool {
  readonly name: string
  readonly description?: string
}

interface ListAnswer {
  readonly result?: { readonly tools?: readonly ListedTool[] }
}

/** The tools of a server, the first page of them, as a client sees them that speaks the newest revision served. */
export async function listTools(server: McpServer): Promise<readonly ListedTool[]> {
  const [newest] = server.runtime.revisions
  // Where all revisions have sessions this says nothing to them, and does no harm.
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
