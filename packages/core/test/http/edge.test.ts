import { describe, expect, it } from 'vitest'
import { createEndpoint, McpServer } from '../../src/edge.ts'
import { FakeRequest } from './support/harness.ts'

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }

describe('createEndpoint of the edge preset', () => {
  it.each([
    ['a repeated header', 400, { body: ping, headers: { 'mcp-method': ['ping', 'tools/call'] } }],
    ['a parsed body with a forbidden key', 400, { parsed: JSON.parse('{"__proto__":{}}') as unknown }],
    ['no parsed body that is valid', 200, { parsed: ping }],
  ])('refuses %s', async (_, status, sent) => {
    const endpoint = createEndpoint(new McpServer({ name: 'edge', version: '1.0.0' }))
    const request = new FakeRequest(sent)
    const reply = await endpoint.handle(request, request.body)
    expect(reply.status).toBe(status)
  })
})
