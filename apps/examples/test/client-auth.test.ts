import type { IncomingMessage } from 'node:http'
import { freePort, listen, type Listening } from '@jetway-apps/test-support/http'
import { type AuthProvider, type AuthRequest } from '@jetway/client'
import { authorizationCode, oauth } from '@jetway/client/oauth'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  authorizedFetch,
  bound,
  connected,
  fixed,
  forEmployee,
  forService,
  forServiceWithKey,
  forUser,
  forWorkload,
  inKeychain,
  rotating,
  signing,
} from '../src/client/client-auth.ts'

/** Starts a server and its authorization server, which accepts everyone. */
let server: Listening
let origin = ''
const asked: string[] = []

async function answer(
  request: IncomingMessage,
): Promise<{ status?: number; json?: unknown; location?: string }> {
  const { pathname, searchParams } = new URL(request.url ?? '/', origin)
  asked.push(`${request.method} ${pathname}`)
  if (pathname === '/mcp')
    return request.headers.authorization === 'Bearer t' ? { json: {} } : { status: 401 }
  if (pathname === '/.well-known/oauth-protected-resource/mcp')
    return { json: { resource: `${origin}/mcp`, authorization_servers: [origin] } }
  if (pathname === '/.well-known/oauth-authorization-server')
    return {
      json: {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        code_challenge_methods_supported: ['S256'],
      },
    }
  if (pathname === '/register')
    return { status: 201, json: { client_id: 'c', token_endpoint_auth_method: 'none' } }
  if (pathname === '/authorize')
    return {
      status: 302,
      location: `${searchParams.get('redirect_uri')}?code=c&state=${searchParams.get('state')}`,
    }
  if (pathname === '/token') return { json: { access_token: 't', token_type: 'Bearer' } }
  return { status: 404 }
}

beforeAll(async () => {
  server = await listen((request, response) => {
    void answer(request).then(({ status = 200, json, location }) => {
      const headers = { 'content-type': 'application/json', ...(location === undefined ? {} : { location }) }
      return response.writeHead(status, headers).end(JSON.stringify(json))
    })
  })
  origin = server.origin
})
afterAll(() => server.release())

const request = (): AuthRequest => ({
  resource: `${origin}/mcp`,
  url: `${origin}/mcp`,
  method: 'POST',
  body: '{}',
})
const headersOf = (provider: AuthProvider): unknown => provider.headers(request())

describe('the client in the client credentials guide', () => {
  it('sends tokens and signatures', async () => {
    expect(await headersOf(fixed)).toEqual({ authorization: 'Bearer a-token-that-never-changes' })
    const vault = { read: async (name: string) => `${name}-1` }
    expect(await headersOf(rotating(vault))).toEqual({ authorization: 'Bearer mcp-token-1' })
    const signed = signing(async (text) => `signed ${text.length}`)
    expect(await headersOf(signed)).toEqual({ 'x-signature': `signed ${`POST ${origin}/mcp\n{}`.length}` })
  })

  it('connects with client credentials', async () => {
    const guarded = await listen((incoming, response) => {
      response.writeHead(incoming.headers.authorization === undefined ? 401 : 403).end()
    })
    onTestFinished(guarded.release)
    await expect(connected(`${guarded.origin}/mcp`, fixed)).rejects.toMatchObject({ status: 403 })
  })

  it('opens a browser for the user, and continues with the token', async () => {
    const visits: string[] = []
    const auth = forUser(
      async (url) => {
        visits.push(url.pathname)
        await (await fetch(url)).text()
      },
      await freePort(),
    )
    const send = authorizedFetch(`${origin}/mcp`, auth)
    expect((await send(`${origin}/mcp`, { method: 'POST', body: '{}' })).status).toBe(200)
    expect((await send(`${origin}/mcp`, { method: 'POST', body: '{}' })).status).toBe(200)
    expect(visits).toEqual(['/authorize'])
    expect(asked.filter((each) => each === 'POST /register')).toHaveLength(1)
  })

  it.each([
    ['a secret', () => forService('s')],
    ['a key', () => forServiceWithKey('pem')],
    ['a workload', () => forWorkload(async () => 'assertion')],
    ['an employee', () => forEmployee(async () => 'id-token', 's')],
  ])('does not send the credentials of %s to another authorization server', async (_, provider) => {
    const before = asked.filter((each) => each === 'POST /token').length
    const send = authorizedFetch(`${origin}/mcp`, provider())
    await expect(send(`${origin}/mcp`, { method: 'POST', body: '{}' })).rejects.toMatchObject({
      reason: 'issuer',
    })
    expect(asked.filter((each) => each === 'POST /token')).toHaveLength(before)
  })

  it('rejects an unbound token if bound tokens are required', async () => {
    const send = authorizedFetch(
      `${origin}/mcp`,
      bound(async () => undefined),
    )
    await expect(send(`${origin}/mcp`, { method: 'POST', body: '{}' })).rejects.toMatchObject({
      reason: 'dpop',
    })
  })

  it('keeps credentials in the secret store', async () => {
    const kept = new Map<string, string | null>()
    const store = inKeychain({
      get: async (name) => kept.get(name) ?? null,
      set: async (name, value) => void kept.set(name, value),
    })
    const redirectUri = 'http://127.0.0.1:1/callback'
    const provider = (): AuthProvider =>
      oauth({
        grant: authorizationCode({
          redirectUri,
          authorize: async (url) => `${redirectUri}?code=c&state=${url.searchParams.get('state')}`,
        }),
        registration: { clientName: 'Example app' },
        store,
      })
    await authorizedFetch(`${origin}/mcp`, provider())(`${origin}/mcp`, { method: 'POST', body: '{}' })
    expect([...kept.keys()].toSorted()).toEqual([`mcp:client:${origin}`, `mcp:tokens:${origin}/mcp`])
    expect(await headersOf(provider())).toEqual({ authorization: 'Bearer t' })
    await store.write('tokens', `${origin}/mcp`, undefined)
    expect(await headersOf(provider())).toBeUndefined()
  })
})
