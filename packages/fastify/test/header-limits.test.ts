import { createServer as createNodeServer } from 'node:http'
import type { Logger } from '@jetway/core'
import { createServer } from '@jetway-apps/test-support/http'
import Fastify, { type FastifyInstance } from 'fastify'
import { expect, it, vi } from 'vitest'
import { mounted } from './support.ts'

/** Returns what the plugin logs for an app that has two mounts. */
async function logged(app: FastifyInstance): Promise<readonly unknown[]> {
  const info = vi.fn<Logger['info']>()
  const logger: Logger = { debug: () => {}, info, warn: () => {}, error: () => {} }
  const server = createServer()
  await mounted(
    [
      { server, logger },
      { server, logger, path: '/again' },
    ],
    app,
  )
  return info.mock.calls.map(([, message]) => message)
}

it('if the app limits neither headers nor requests, the plugin logs the options for both once', async () => {
  expect(await logged(Fastify())).toEqual([
    expect.stringMatching(/headersTimeout.* connectionsCheckingInterval.* requestTimeout of Fastify/),
  ])
})

it('the plugin logs only the options for headers if the app already limits requests', async () => {
  const [message, ...more] = await logged(Fastify({ requestTimeout: 90_000 }))
  expect(more).toEqual([])
  expect(message).toContain('headersTimeout')
  expect(message).not.toContain('requestTimeout of')
})

it('the plugin logs nothing if the app limits headers, regardless of where the limit is set', async () => {
  const after = Fastify()
  after.server.headersTimeout = 10_000
  const options = { headersTimeout: 10_000 }
  const own = Fastify({ serverFactory: (handler) => createNodeServer(options, handler) })
  for (const app of [after, Fastify({ http: options }), own]) expect(await logged(app)).toEqual([])
})

it('the plugin logs nothing over HTTP/2, which has no such limits', async () => {
  expect(await logged(Fastify({ http2: true }) as unknown as FastifyInstance)).toEqual([])
})
