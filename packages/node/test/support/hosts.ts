import type { RequestListener } from 'node:http'
import { json } from 'node:stream/consumers'
import type { McpServer } from '@jetway/core'
import type { describeAdapter } from '@jetway/testing/adapter'
import { bodyParser } from '@koa/bodyparser'
import { EVERY_CAPABILITY } from '@jetway-apps/test-support'
import { listen } from '@jetway-apps/test-support/http'
import { NestFactory } from '@nestjs/core'
import connect from 'connect'
import express5, { type Express } from 'express'
// @ts-expect-error The types are those of Express 5.
import express4 from 'express4'
import Koa from 'koa'
import { mcp, type McpMount, resourceMetadata } from '../../src/index.ts'

export type AdapterSubject = Parameters<typeof describeAdapter>[1]
type Setup = Parameters<AdapterSubject['serve']>[2]

export type Listener = (...args: Parameters<RequestListener>) => unknown

/**
 * Creates a host with the mount. The host itself replies to `POST /echo`.
 *
 * @param metadata - serves the documents of `authenticate` at the root, for a mount below a prefix
 */
type Host = (
  mount: McpMount,
  setup: Setup,
  metadata: ReturnType<typeof resourceMetadata> | undefined,
) => Listener | Promise<Listener>

const node: Host =
  (mount, { headers = {}, parsesBodies }) =>
  async (req, res) => {
    res.setHeaders(new Map(Object.entries(headers)))
    if (req.url === '/echo') req.pipe(res)
    else {
      if (parsesBodies === true) Object.assign(req, { body: await json(req) })
      mount(req, res)
    }
  }

const express =
  (create: () => Express): Host =>
  (mount, { headers = {}, parsesBodies, prefix = '/' }, metadata) => {
    const app = create()
    app.use((_req, res, next) => (res.set(headers), next()))
    if (parsesBodies === true) app.use(express5.json())
    if (metadata) app.use(metadata)
    app.use(prefix, mount)
    app.post('/echo', (req, res) => void req.pipe(res))
    return app
  }

const connected: Host = (mount, { headers = {}, parsesBodies, prefix = '/' }, metadata) => {
  const app = connect()
  app.use((_req, res, next) => (res.setHeaders(new Map(Object.entries(headers))), next()))
  if (parsesBodies === true) app.use(express5.json())
  if (metadata) app.use(metadata)
  app.use(prefix, mount)
  app.use('/echo', (req, res) => void req.pipe(res))
  return app
}

const koa: Host = (mount, { headers = {}, parsesBodies }) => {
  const app = new Koa()
  app.silent = true
  app.use((ctx, next) => (ctx.set(headers), next()))
  if (parsesBodies === true) app.use(bodyParser())
  app.use(mount.koa)
  app.use((ctx) => {
    if (ctx.path === '/echo') ctx.body = ctx.req
  })
  return app.callback()
}

const nest: Host = async (mount, { headers = {}, parsesBodies, prefix = '/' }, metadata) => {
  const app = await NestFactory.create({ module: Object }, { logger: false })
  app.use((_req: unknown, res: { set(fields: object): void }, next: () => void) => (res.set(headers), next()))
  if (parsesBodies === true) app.use(express5.json())
  if (metadata) app.use(metadata)
  app.use(prefix, mount)
  app.use('/echo', (req: { pipe(to: unknown): void }, res: unknown) => req.pipe(res))
  await app.init()
  return app.getHttpAdapter().getInstance() as Listener
}

/** `node:http` has no paths to mount at, and Koa has them in another package. */
const WITHOUT_PREFIX = EVERY_CAPABILITY.filter((capability) => capability !== 'prefix')

const subject = (
  host: Host,
  capabilities: AdapterSubject['capabilities'] = EVERY_CAPABILITY,
): AdapterSubject => ({
  capabilities,
  async serve(server: McpServer, options, setup) {
    const { locals, auth, prefix = '' } = setup
    const { authenticate } = options
    const metadata = prefix !== '' && authenticate ? resourceMetadata(authenticate) : undefined
    const mount = mcp({ server, ...options, ...(locals && { locals }), ...(auth && { authInfo: auth }) })
    const { origin, release } = await listen(await host(mount, setup, metadata))
    return { url: `${origin}${prefix}/mcp`, close: () => mount.close(), release }
  },
})

export const HOSTS: Readonly<Record<string, AdapterSubject>> = {
  'node:http': subject(node, WITHOUT_PREFIX),
  'Express 5': subject(express(express5)),
  'Express 4': subject(express(express4)),
  Connect: subject(connected),
  Koa: subject(koa, WITHOUT_PREFIX),
  'NestJS on Express': subject(nest),
}
