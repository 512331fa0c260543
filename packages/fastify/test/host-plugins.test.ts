import { gzipSync } from 'node:zlib'
import compress from '@fastify/compress'
import etag from '@fastify/etag'
import swagger from '@fastify/swagger'
import type { Logger } from '@jetway/core'
import Fastify from 'fastify'
import { expect, it, vi } from 'vitest'
import { mcp } from '../src/index.ts'
import {
  callFrame,
  createServer,
  firstChunk,
  HEADERS,
  post,
  slowServer,
  text,
} from '@jetway-apps/test-support/http'
import { listen } from './support.ts'

const slow = (url: string): Promise<Response> => post(`${url}/mcp`, callFrame('slow'))

it.each([
  ['@fastify/compress', compress],
  ['@fastify/etag', etag],
])('%s forwards the events of a call immediately', async (_name, plugin) => {
  const { server, finish } = slowServer()
  const app = Fastify()
  await app.register(plugin as typeof compress)
  await app.register(mcp, { server, stateless: true })
  expect(await firstChunk(await slow(await listen(app)))).toContain('notifications/progress')
  finish()
})

it('@fastify/compress compresses JSON replies', async () => {
  const { server, finish } = slowServer()
  finish()
  const app = Fastify()
  await app.register(compress)
  await app.register(mcp, { server, stateless: true, response: 'json' })
  const response = await slow(await listen(app))
  expect(response.headers.get('content-encoding')).toMatch(/br|gzip/)
  expect(await response.text()).toContain('xxx')
})

it('@fastify/compress decompresses requests but keeps their Content-Encoding header', async () => {
  const app = Fastify()
  await app.register(compress)
  await app.register(mcp, { server: createServer(), stateless: true })
  const headers = { ...HEADERS, 'content-encoding': 'gzip' }
  const body = gzipSync(callFrame('name'))
  expect(await text(await fetch(`${await listen(app)}/mcp`, { method: 'POST', headers, body }))).toBe('test')
})

it("@fastify/swagger lists the app's routes, but not those of the mount", async () => {
  const app = Fastify()
  await app.register(swagger, { openapi: {} })
  app.get('/own', () => 'own')
  await app.register(mcp, { server: createServer(), legacySse: true, health: true })
  await app.ready()
  expect(Object.keys(app.swagger().paths ?? {})).toEqual(['/own'])
})

it("a call cut off by the app's own timeout is logged once, with a remedy", async () => {
  const { server, finish } = slowServer()
  const warn = vi.fn<Logger['warn']>()
  const app = Fastify()
  app.addHook('onRequest', async (_request, reply) => {
    setTimeout(() => reply.raw.writeHead(504).end(), 10)
  })
  const logger: Logger = { debug: () => {}, info: () => {}, warn, error: () => {} }
  await app.register(mcp, { server, stateless: true, response: 'json', logger })
  const url = await listen(app)
  const responses = await Promise.all([slow(url), slow(url)])
  expect(responses.map(({ status }) => status)).toEqual([504, 504])
  finish()
  await vi.waitFor(() => expect(warn).toHaveBeenCalled())
  expect(warn.mock.calls).toEqual([[{}, expect.stringMatching(/exclude the MCP path from it/)]])
})
