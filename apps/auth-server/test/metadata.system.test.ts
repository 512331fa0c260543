import { oauth as oauthServer } from '@jetway/auth'
import { type Authenticate, type FetchHandler, toFetch } from '@jetway/core/http'
import { mcp as fastifyMcp, resourceMetadata as fastifyMetadata } from '@jetway/fastify'
import { mcp as honoMcp, resourceMetadata as honoMetadata } from '@jetway/hono'
import { post } from '@jetway-apps/test-support/http'
import { listenForTest, MOUNTS } from '@jetway-apps/test-support/mounts'
import * as v2 from '@modelcontextprotocol/client'
import * as v1 from '@modelcontextprotocol/sdk/client/auth.js'
import Fastify from 'fastify'
import { Hono } from 'hono'
import * as oauth from 'oauth4webapi'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createServer, protect, startIssuer } from './support/protected.ts'

const HTTP = { [oauth.allowInsecureRequests]: true } as const

/** Clients that find the authorization server through the resource metadata. */
const READERS: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
  oauth4webapi: async (url) => {
    const resource = new URL(url)
    const response = await oauth.resourceDiscoveryRequest(resource, HTTP)
    const { authorization_servers: [issuer = ''] = [] } = await oauth.processResourceDiscoveryResponse(
      resource,
      response,
    )
    const found = await oauth.discoveryRequest(new URL(issuer), { algorithm: 'oauth2', ...HTTP })
    return (await oauth.processDiscoveryResponse(new URL(issuer), found)).issuer
  },
  'the official client v1': async (url) => {
    const { authorization_servers: [issuer = ''] = [] } = await v1.discoverOAuthProtectedResourceMetadata(url)
    return (await v1.discoverAuthorizationServerMetadata(issuer))?.issuer
  },
  'the official client v2': async (url) => {
    const { authorization_servers: [issuer = ''] = [] } = await v2.discoverOAuthProtectedResourceMetadata(url)
    return (await v2.discoverAuthorizationServerMetadata(issuer))?.issuer
  },
}

describe.each(Object.entries(MOUNTS))('metadata of a server on %s', (_, mount) => {
  it.each(Object.entries(READERS))('directs %s to the authorization server', async (_reader, issuerOf) => {
    const issuer = await startIssuer()
    expect(await issuerOf(await protect(issuer, mount))).toBe(issuer.issuer)
  })

  it('is referenced in the challenge in a format that both official clients can parse', async () => {
    const url = await protect(await startIssuer(), mount)
    const refused = await post(url)
    expect(refused.status).toBe(401)
    const resourceMetadataUrl = new URL('/.well-known/oauth-protected-resource/mcp', url)
    for (const { extractWWWAuthenticateParams } of [v1, v2])
      expect(extractWWWAuthenticateParams(refused)).toMatchObject({ resourceMetadataUrl, scope: 'mcp' })
    expect(await (await fetch(resourceMetadataUrl)).json()).toMatchObject({
      resource: url,
      scopes_supported: ['mcp'],
    })
  })
})

/** Apps that serve the metadata separately from the mount. Each resolves to the addresses of its servers. */
const APPS: Readonly<Record<string, (authenticate: () => Authenticate) => Promise<readonly string[]>>> = {
  'Fastify, below a prefix': async (create) => {
    const app = Fastify()
    onTestFinished(() => app.close())
    const authenticate = create()
    await app.register(fastifyMetadata, { authenticate })
    await app.register(
      async (scope) => void scope.register(fastifyMcp, { server: createServer(), authenticate }),
      { prefix: '/api' },
    )
    return [`${await app.listen({ host: '127.0.0.1', port: 0 })}/api/mcp`]
  },
  'Fastify, two servers': async (create) => {
    const app = Fastify()
    onTestFinished(() => app.close())
    for (const path of ['/a', '/b'])
      await app.register(fastifyMcp, { server: createServer(), path, authenticate: create() })
    const origin = await app.listen({ host: '127.0.0.1', port: 0 })
    return [`${origin}/a`, `${origin}/b`]
  },
  'Hono, in a sub-app': async (create) => {
    const authenticate = create()
    const sub = new Hono().use(honoMcp({ server: createServer(), authenticate }))
    const app = new Hono().use(honoMetadata(authenticate)).route('/api', sub)
    return [`${await listenForTest(app.fetch)}/api/mcp`]
  },
  'Hono, two servers': async (create) => {
    const app = new Hono()
    for (const path of ['/a', '/b'])
      app.use(honoMcp({ server: createServer(), path, authenticate: create() }))
    const origin = await listenForTest(app.fetch)
    return [`${origin}/a`, `${origin}/b`]
  },
  'toFetch, behind a proxy that strips a path': async (create) => {
    let inner: FetchHandler | undefined
    const origin = await listenForTest((request) => {
      const url = new URL(request.url)
      url.pathname = url.pathname.replace(/^\/public/, '')
      return inner?.(new Request(url, request)) ?? new Response(null, { status: 502 })
    })
    const publicUrl = `${origin}/public/mcp`
    inner = toFetch(createServer(), { path: '/mcp', publicUrl, authenticate: create() })
    return [publicUrl]
  },
}

describe.each(Object.entries(APPS))('metadata of %s', (_, start) => {
  it.each(Object.entries(READERS))('directs %s to the authorization server', async (_reader, issuerOf) => {
    const { issuer } = await startIssuer()
    for (const url of await start(() => oauthServer({ issuer, scopes: ['mcp'] }))) {
      expect(await issuerOf(url)).toBe(issuer)
      const { resourceMetadataUrl } = v2.extractWWWAuthenticateParams(await post(url))
      expect(await (await fetch(resourceMetadataUrl ?? '')).json()).toMatchObject({ resource: url })
    }
  })
})
