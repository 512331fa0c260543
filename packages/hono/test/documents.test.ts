import { serverCard } from '@jetway/core/card'
import { createServer } from '@jetway-apps/test-support/http'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { mcp as edge } from '../src/edge.ts'
import { mcp } from '../src/index.ts'

const server = createServer()
const CATALOG = '/.well-known/ai-catalog.json'
const card = serverCard({ name: 'com.example/test', description: 'Tests' })
const published = (path: string) => ({ server, publicUrl: `https://example.com${path}`, card })

describe('a server card', () => {
  it.each<[string, string, string, (app: Hono) => unknown]>([
    ['at the root', '/mcp', CATALOG, (app) => app.use(mcp(published('/mcp')))],
    ['of the edge preset', '/mcp', CATALOG, (app) => app.use(edge(published('/mcp')))],
    ['below a base path', '/api/mcp', '', (app) => app.basePath('/api').use(mcp(published('/api/mcp')))],
    ['of a sub-app', '/x/mcp', '', (app) => app.route('/x', new Hono().use(mcp(published('/x/mcp'))))],
    [
      'with a route of its own',
      '/mcp',
      '',
      (app) => app.on(['GET'], ['/mcp', '/mcp/server-card'], mcp({ ...published('/mcp'), path: '/mcp' })),
    ],
    ['behind a proxy that removes a prefix', '/mcp', CATALOG, (app) => app.use(mcp(published('/tools/mcp')))],
  ])('%s is served at %s/server-card', async (_form, path, catalog, use) => {
    const app = new Hono()
    use(app)
    const found = await app.request(`${path}/server-card`)
    expect([found.status, found.headers.get('content-type')]).toEqual([
      200,
      'application/mcp-server-card+json',
    ])
    expect((await app.request(`/elsewhere${path}/server-card`)).status).toBe(404)
    expect((await app.request(CATALOG)).status).toBe(catalog === '' ? 404 : 200)
  })

  it('leaves all other paths to the app', async () => {
    const app = new Hono()
    app.use(mcp(published('/mcp')))
    app.get('/mcp/:other', (c) => c.text('other'))
    expect(await (await app.request('/mcp/server-cards')).text()).toBe('other')
  })
})
