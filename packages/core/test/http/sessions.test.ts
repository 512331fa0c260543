import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createHarness, initializeMessage } from './support/harness.ts'

const withEcho = (
  server: Parameters<NonNullable<Parameters<typeof createHarness>[0]>['setUp'] & {}>[0],
): void => {
  server.addTool({ name: 'echo', inputSchema: z.object({ text: z.string() }), handler: ({ text }) => text })
}

describe('a session over Streamable HTTP', () => {
  it('opens with initialize, serves calls as JSON, and ends with DELETE', async () => {
    const { post, send } = createHarness({ setUp: withEcho })
    const opened = await post(initializeMessage())
    expect(opened.status).toBe(200)
    expect(opened.json.result).toMatchObject({ protocolVersion: '2025-06-18', serverInfo: { name: 'test' } })
    const id = opened.headers['mcp-session-id'] ?? ''
    const headers = { 'mcp-session-id': id, 'mcp-protocol-version': '2025-06-18' }
    const initialized = await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers)
    expect([initialized.status, initialized.text]).toEqual([202, ''])
    const called = await post(
      { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'echo', arguments: { text: 'hi' } } },
      headers,
    )
    expect(called.status).toBe(200)
    expect(called.headers['content-type']).toBe('application/json')
    expect(called.json).toMatchObject({ id: 7, result: { content: [{ type: 'text', text: 'hi' }] } })
    const ended = await send({ method: 'DELETE', headers })
    expect(ended.status).toBe(204)
    expect((await post({ jsonrpc: '2.0', id: 8, method: 'ping' }, headers)).status).toBe(404)
  })
})
