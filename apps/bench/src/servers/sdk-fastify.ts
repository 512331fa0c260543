import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { createMcpFastifyApp } from '@modelcontextprotocol/fastify'
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node'
import { ready } from '../serving/control.ts'
import { createSdkServer } from '../serving/sdk.ts'

/** The official SDK, used as in its own examples, with its fastest options: sessions and JSON replies. */
const transports = new Map<string, NodeStreamableHTTPServerTransport>()

async function open(): Promise<NodeStreamableHTTPServerTransport> {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    enableJsonResponse: true,
    onsessioninitialized: (id) => void transports.set(id, transport),
  })
  await createSdkServer().connect(transport)
  return transport
}

const app = createMcpFastifyApp()
app.post('/mcp', async (request, reply) => {
  const id = request.headers['mcp-session-id']
  const transport = typeof id === 'string' ? transports.get(id) : await open()
  if (transport === undefined) return reply.code(404).send()
  reply.hijack()
  await transport.handleRequest(request.raw, reply.raw, request.body)
  return reply
})
await app.listen({ port: 0, host: '127.0.0.1' })
ready((app.server.address() as AddressInfo).port)
