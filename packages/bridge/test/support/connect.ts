import { Client, type ClientOptions, duplex } from '@jetway/client'
import type { McpServer } from '@jetway/core'
import { createMemoryTransportPair } from '@jetway/core/transport'

/** Connects a client to a server in this process. */
export async function connectTo(server: McpServer, options: ClientOptions = {}): Promise<Client> {
  const [near, far] = createMemoryTransportPair()
  server.connect(far, { endGraceMs: 50 })
  return new Client({ name: 'test-client', version: '1.0.0' }, options).connect(duplex(near))
}
