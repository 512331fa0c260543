import { silent } from '@jetway-apps/test-support'
import { describe, expect, it } from 'vitest'
import { app, type AppDefinition, apps } from '../../src/apps.ts'
import { type AnyTool, defineTool, McpServer, type ServerOptions } from '../../src/index.ts'
import { serveWeb } from '../support/web-client.ts'
import { openAnsweringClient } from '../support/answering-client.ts'
import { modernClient } from '../support/modern-client.ts'

const SPEC = 'https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx'
const ID = 'io.modelcontextprotocol/ui'
const SHOWS = { extensions: { [ID]: { mimeTypes: ['text/html;profile=mcp-app'] } } }
const uri = 'ui://weather/dashboard'

const forecast = defineTool({
  name: 'forecast',
  _meta: { 'com.example/kind': 'weather' },
  ui: { resourceUri: uri, visibility: ['model', 'app'] },
  handler: () => 'It rains',
})
const refresh = defineTool({
  name: 'refresh',
  ui: { resourceUri: uri, visibility: ['app'] },
  handler: () => 'Refreshed',
})
const dashboard = app({ uri, name: 'dashboard', html: '<!doctype html><title>Weather</title>' })

function createServer(tools: readonly AnyTool<unknown, unknown>[], options: ServerOptions = {}): McpServer {
  const server = new McpServer(
    { name: 'apps', version: '1' },
    { extensions: [apps()], logger: silent, ...options },
  )
  server.setTools(tools)
  server.add(dashboard)
  return server
}

type Tools = readonly { name: string; _meta?: Record<string, unknown> }[]
type Lister = (capabilities: object) => Promise<Tools>

const modern =
  (server: McpServer): Lister =>
  async (capabilities) =>
    (await modernClient(server)('tools/list', {}, capabilities)).result['tools'] as Tools

const session =
  (server: McpServer): Lister =>
  async (capabilities) => {
    const client = await openAnsweringClient(server, { capabilities })
    const { result } = await client.request('tools/list')
    await client.close()
    return result?.['tools'] as Tools
  }

const KINDS: readonly [string, (server: McpServer) => Lister][] = [
  ['each request', modern],
  ['initialize', session],
]

describe.each(KINDS)(
  `tools with a user interface, listed for clients that declare MIME types in %s (${SPEC}#resource-discovery)`,
  (_, listerOf) => {
    it('include ui only for clients that support user interfaces', async () => {
      const list = listerOf(createServer([forecast]))
      for (let round = 0; round < 2; round++) {
        expect(await list(SHOWS)).toMatchObject([
          {
            name: 'forecast',
            _meta: {
              'com.example/kind': 'weather',
              ui: { resourceUri: uri, visibility: ['model', 'app'] },
            },
          },
        ])
        const [plain] = await list({})
        expect(plain?._meta).toEqual({ 'com.example/kind': 'weather' })
      }
    })

    it.each<[string, object]>([
      ['another MIME type', { extensions: { [ID]: { mimeTypes: ['text/uri-list'] } } }],
      ['no MIME types', { extensions: { [ID]: {} } }],
      [
        'MIME types that are not an array',
        { extensions: { [ID]: { mimeTypes: 'text/html;profile=mcp-app' } } },
      ],
      ['another extension', { extensions: { 'com.example/ui': SHOWS.extensions[ID] } }],
      ['extensions that are not an object', { extensions: 1 }],
    ])('omit ui for clients that declare %s', async (_case, capabilities) => {
      const [tool] = await listerOf(createServer([forecast]))(capabilities)
      expect(tool?._meta).not.toHaveProperty('ui')
    })

    it('are omitted for clients without user interfaces if only the user interface may call them', async () => {
      const list = listerOf(createServer([forecast, refresh]))
      const names = async (capabilities: object): Promise<readonly string[]> =>
        (await list(capabilities)).map(({ name }) => name)
      for (let round = 0; round < 2; round++) {
        expect(await names(SHOWS)).toEqual(['forecast', 'refresh'])
        expect(await names({})).toEqual(['forecast'])
      }
    })
  },
)

describe('the apps() extension', () => {
  it('is declared in every revision if it is enabled', async () => {
    const server = createServer([forecast])
    const { result } = await modernClient(server)('server/discover')
    expect(result).toMatchObject({ capabilities: { extensions: { [ID]: {} } } })
    const client = await serveWeb(server).open('anyone', '2025-06-18')
    expect(client.initialized.result).toMatchObject({ capabilities: { extensions: { [ID]: {} } } })
  })

  it('must be enabled before a tool with ui is added', () => {
    const server = new McpServer({ name: 'plain', version: '1' })
    expect(() => server.addTool(forecast)).toThrow(/extensions: \[apps\(\)\]/)
  })

  it('leaves _meta.ui unchanged if it is not enabled', async () => {
    const raw = defineTool({ name: 'raw', _meta: { ui: { anything: 1 } }, handler: () => 'x' })
    const [tool] = await modern(createServer([raw], { extensions: [] }))({})
    expect(tool?._meta).toEqual({ ui: { anything: 1 } })
  })
})

describe('a tool with a user interface', () => {
  it('can be called unless it is hidden from the caller', async () => {
    const request = modernClient(createServer([forecast, refresh]))
    const call = (name: string, capabilities = {}): ReturnType<typeof request> =>
      request('tools/call', { name }, capabilities)
    expect((await call('forecast')).result).toMatchObject({ content: [{ type: 'text', text: 'It rains' }] })
    expect((await call('refresh', SHOWS)).result).toMatchObject({ content: [{ text: 'Refreshed' }] })
    expect((await call('refresh')).error).toMatchObject({ code: -32602, message: 'Unknown tool: refresh' })
  })

  it('can also be hidden by its own `visible` function', async () => {
    const hidden = { ...refresh, visible: () => false }
    expect(await modern(createServer([hidden]))(SHOWS)).toEqual([])
  })

  it('can set _meta.ui and the older key itself, and both are removed for other clients', async () => {
    const _meta = { ui: { resourceUri: uri }, 'ui/resourceUri': uri }
    const list = modern(createServer([defineTool({ name: 'raw', _meta, handler: () => 'x' })]))
    expect((await list(SHOWS))[0]?._meta).toEqual(_meta)
    expect((await list({}))[0]).not.toHaveProperty('_meta')
  })

  it('is listed with ui only for clients that support it, even with pages, priorities and session tools', async () => {
    const late = { ...forecast, name: 'late', priority: -1 }
    const server = createServer([late, forecast], {
      limits: { pageSize: 1 },
      tools: { orderByPriority: true },
    })
    expect((await modern(server)({})).map(({ name, _meta }) => [name, _meta?.['ui']])).toEqual([
      ['forecast', undefined],
    ])
    expect((await modern(server)(SHOWS))[0]?._meta).toHaveProperty('ui')
    const own = createServer([])
    own.on('session:open', ({ session: opened }) => own.forSession(opened).addTool(forecast))
    expect((await session(own)({}))[0]?._meta).not.toHaveProperty('ui')
    expect((await session(own)(SHOWS))[0]?._meta).toHaveProperty('ui')
  })

  it('can be visible to the model only, and then needs no resource URI', async () => {
    const none = defineTool({ name: 'none', handler: () => 'x' })
    const shown = defineTool({ name: 'shown', ui: { visibility: ['model'] }, handler: () => 'x' })
    expect(await modern(createServer([none, shown]))(SHOWS)).toMatchObject([
      { name: 'none' },
      { name: 'shown', _meta: { ui: { visibility: ['model'] } } },
    ])
  })

  it('is updated for clients with and without the extension', async () => {
    const server = createServer([])
    const handle = server.addTool(forecast)
    expect(await modern(server)({})).toHaveLength(1)
    handle.update({ description: 'New' })
    expect(await modern(server)({})).toMatchObject([{ description: 'New' }])
    expect(await modern(server)(SHOWS)).toMatchObject([{ description: 'New', _meta: { ui: {} } }])
  })

  it.each<[string, unknown]>([
    ['a URI of another scheme', { resourceUri: 'https://example.com' }],
    ['an invalid URI', { resourceUri: 'ui://' }],
    ['an empty visibility list', { visibility: [] }],
    ['an unknown visibility', { visibility: ['user'] }],
    ['a value that is not an object', 'ui://x/y'],
  ])('is rejected with %s', (_, ui) => {
    const wrong = { ...forecast, ui } as unknown as AnyTool<unknown, unknown>
    expect(() => createServer([wrong])).toThrow(
      expect.objectContaining({ code: 'ERR_MCP_INVALID_DEFINITION' }),
    )
  })

  it('is rejected if both ui and _meta.ui are set', () => {
    const twice = { ...forecast, _meta: { ui: { resourceUri: uri } } }
    expect(() => createServer([twice])).toThrow(/twice/)
  })
})

describe(`app() (${SPEC}#ui-resource-format)`, () => {
  const full: AppDefinition = {
    uri: 'ui://weather/map',
    name: 'map',
    title: 'Map',
    html: (ctx) => `<!doctype html><title>${ctx.uri}</title>`,
    csp: {
      connectDomains: ['https://api.example.com', 'wss://live.example.com:8443'],
      resourceDomains: ['https://*.example.com'],
    },
    permissions: ['camera', 'clipboardWrite'],
    domain: 'map.example.com',
    prefersBorder: false,
    _meta: { 'com.example/a': 1 },
  }
  const ui = {
    csp: full.csp,
    permissions: { camera: {}, clipboardWrite: {} },
    domain: 'map.example.com',
    prefersBorder: false,
  }

  it('returns HTML with its media type and sandbox settings', async () => {
    const server = createServer([])
    server.add(app(full))
    const request = modernClient(server)
    const { result } = await request('resources/read', { uri: full.uri })
    expect(result['contents']).toEqual([
      {
        uri: full.uri,
        mimeType: 'text/html;profile=mcp-app',
        text: '<!doctype html><title>ui://weather/map</title>',
        _meta: { ui },
      },
    ])
    const plain = await request('resources/read', { uri })
    expect(plain.result['contents']).toEqual([
      { uri, mimeType: 'text/html;profile=mcp-app', text: '<!doctype html><title>Weather</title>' },
    ])
    expect((await request('resources/list')).result['resources']).toEqual([
      { uri, name: 'dashboard', mimeType: 'text/html;profile=mcp-app' },
      {
        uri: full.uri,
        name: 'map',
        title: 'Map',
        mimeType: 'text/html;profile=mcp-app',
        _meta: { 'com.example/a': 1, ui },
      },
    ])
  })

  it.each<[object, object | undefined]>([
    [{}, undefined],
    [{ _meta: { 'com.example/a': 1 } }, { 'com.example/a': 1 }],
    [{ domain: 'a.example' }, { ui: { domain: 'a.example' } }],
    [
      { csp: { connectDomains: undefined, frameDomains: ['https://a.example'] } },
      { ui: { csp: { frameDomains: ['https://a.example'] } } },
    ],
    [{ permissions: [] }, { ui: { permissions: {} } }],
  ])('publishes the settings in _meta: %j', (settings, _meta) => {
    expect(app({ uri, name: 'a', html: 'x', ...settings })._meta).toEqual(_meta)
  })

  it('causes resources/read to fail if html does not return a string', async () => {
    const server = createServer([])
    server.add(app({ ...full, html: () => 1 as never }))
    expect((await modernClient(server)('resources/read', { uri: full.uri })).error?.code).toBe(-32603)
  })

  it.each<[string, object]>([
    ['settings that are not an object', { csp: 1 }],
    ['another scheme', { uri: 'https://example.com/a' }],
    ['no html', { html: undefined }],
    [
      'an origin with a second directive',
      { csp: { connectDomains: ["https://a.example; script-src 'unsafe-eval'"] } },
    ],
    ['an origin with a path', { csp: { resourceDomains: ['https://a.example/x'] } }],
    ['a keyword as origin', { csp: { frameDomains: ["'self'"] } }],
    ['an unknown directive', { csp: { scriptDomains: ['https://a.example'] } }],
    ['an unknown permission', { permissions: ['usb'] }],
    ['permissions that are not an array', { permissions: { camera: {} } }],
    ['a border that is a string', { prefersBorder: 'yes' }],
  ])('rejects %s', (_, change) => {
    const wrong = { ...full, ...change } as AppDefinition
    expect(() => app(wrong)).toThrow(expect.objectContaining({ code: 'ERR_MCP_INVALID_DEFINITION' }))
  })
})
