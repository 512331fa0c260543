import { describe, expect, it } from 'vitest'
import { server } from '../src/tools/apps.ts'
import { ask } from './support.ts'

const listed = async (extensions: object): Promise<readonly object[]> =>
  (await ask(server, 'tools/list', {}, { extensions })).result?.['tools'] as object[]

describe('tools in the user interfaces guide', () => {
  it('offer a user interface only to clients that support user interfaces', async () => {
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
