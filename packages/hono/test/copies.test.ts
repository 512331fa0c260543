import { createRequire } from 'node:module'
import type * as HonoModule from 'hono'
import { expect, it } from 'vitest'
import { mcp } from '../src/index.ts'
import { createServer, post, text } from '@jetway-apps/test-support/http'
import { listen } from './support.ts'

/** The CommonJS copy of Hono. It shares no classes with the copy that Jetway imports. */
const { Hono } = createRequire(import.meta.url)('hono') as typeof HonoModule

const options = { server: createServer(), stateless: true }

it.each([
  ['a middleware', '/mcp', () => new Hono().use(mcp(options))],
  ['a base path', '/api/mcp', () => new Hono().basePath('/api').use(mcp(options))],
  ['a parameter', '/t/42/mcp', () => new Hono().route('/t/:tenant', new Hono().use(mcp(options)))],
  ['a route handler', '/ai', () => new Hono().all('/ai', mcp(options))],
])('the middleware runs in an app from another copy of Hono, as %s', async (_form, path, create) => {
  const url = await listen(create())
  expect(await text(await post(url + path))).toBe('test')
  expect((await post(`${url}/elsewhere`)).status).toBe(404)
})
