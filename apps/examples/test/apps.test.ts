import { describe, expect, it } from 'vitest'
import { server } from '../src/tools/apps.ts'

async function listed(extensions: object): Promise<readonly object[]> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { extensions },
  }
  const answer = await server.handleMessage({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/list',
    params: { _meta },
  })
  return (JSON.parse(answer ?? '') as { result: { tools: object[] } }).result.tools
}

describe('the tools of the guide to user interfaces', () => {
  it('have one for clients that support it, and are plain for others', async () => {
    const shows = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } }
    const ui = { resourceUri: 'ui://weather/dashboard' }
    expect(await listed(shows)).toMatchObject([
      { name: 'get_weather', _meta: { ui } },
      { name: 'refresh_dashboard', _meta: { ui: { ...ui, visibility: ['app'] } } },
    ])
    const plain = await listed({})
    expect(plain).toMatchObject([{ name: 'get_weather' }])
    expect(plain[0]).not.toHaveProperty('_meta')
  })
})
