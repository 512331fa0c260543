import type { McpServer } from '@jetway/core'
import { createMemoryTransportPair } from '@jetway/core/transport'

export interface ListedTool {
  readonly name: string
  readonly description?: string
}

interface ListAnswer {
  readonly id?: number
  readonly result?: { readonly tools?: readonly ListedTool[] }
}

const INITIALIZE = {
  method: 'initialize',
  params: { protocolVersion: 'any', capabilities: {}, clientInfo: { name: 'welcome', version: '1.0.0' } },
}

/** The tools of a server, the first page of them, as a client in this very process sees them. */
export async function listTools(server: McpServer): Promise<readonly ListedTool[]> {
  const [ours, theirs] = createMemoryTransportPair()
  const tools = new Promise<readonly ListedTool[]>((resolve) => {
    void ours.start({
      message(text) {
        const { id, result } = JSON.parse(text) as ListAnswer
        if (id === 2) resolve(result?.tools ?? [])
      },
      malformed: () => resolve([]),
      close: () => resolve([]),
    })
  })
  const connection = server.connect(theirs)
  void ours.send(JSON.stringify({ jsonrpc: '2.0', id: 1, ...INITIALIZE }))
  void ours.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }))
  void ours.send(JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' }))
  const listed = await tools
  await connection.close()
  return listed
}
