import { McpServer } from '@jetway/core'
import { serverCard } from '@jetway/core/card'
import Fastify, { type FastifyInstance } from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { mcp } from '../src/index.ts'

const CATALOG = '/.well-known/ai-catalog.json'

/** Registers a mount with a card that names the given path. */
async function publish(
  app: FastifyInstance,
  options: { readonly path?: string; readonly prefix?: string },
  publicPath: string,
): Promise<void> {
  const card = serverCard({ name: 'com.example/test', description: `Serves ${publicPath}` })
  const server = new McpServer({ name: 'test', version: '1' })
  await app.register(mcp, { server, ...options, publicUrl: `https://example.com${publicPath}`, card })
}

function created(): FastifyInstance {
  const app = Fastify()
  onTestFinished(() => app.close())
  return app
}

const statusOf = async (app: FastifyInstance, url: string): Promise<number> =>
  (await app.inject(url)).statusCode

describe('a server card', () => {
  it.each([
    ['a prefix', { prefix: '/api', path: '/mcp' }, '/api/mcp'],
    ['a prefix with a slash at its end', { prefix: '/api/', path: '/mcp' }, '/api/mcp'],
    ['a prefix as the whole path', { prefix: '/ai' }, '/ai'],
  ])('is served below %s, without the catalog of the site', async (_, options, path) => {
    const app = created()
    await publish(app, options, path)
    expect(await statusOf(app, `${path}/server-card`)).toBe(200)
    expect(await statusOf(app, `${path}/server-card/`)).toBe(200)
    expect(await statusOf(app, CATALOG)).toBe(404)
  })

  it('is served behind a proxy that removes a prefix', async () => {
    const app = created()
    await publish(app, { path: '/mcp' }, '/tools/mcp')
    expect(await statusOf(app, '/mcp/server-card')).toBe(200)
    expect(await statusOf(app, '/tools/mcp/server-card')).toBe(200)
  })

  it('is served for each of several mounts, with the catalog of the first one', async () => {
    const app = created()
    await publish(app, { path: '/a' }, '/a')
    await publish(app, { path: '/b' }, '/b')
    for (const path of ['/a', '/b'])
      expect((await app.inject(`${path}/server-card`)).json()).toMatchObject({
        description: `Serves ${path}`,
      })
    expect((await app.inject(CATALOG)).json()).toMatchObject({
      entries: [{ url: 'https://example.com/a/server-card' }],
    })
  })

  it('leaves the catalog to the app if the app has one', async () => {
    const app = created()
    app.get(CATALOG, async () => 'own')
    await publish(app, { path: '/mcp' }, '/mcp')
    expect((await app.inject(CATALOG)).body).toBe('own')
    expect(await statusOf(app, '/mcp/server-card')).toBe(200)
  })
})
