import { createServer } from 'node:http'
import { generateKeyPairSync } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { request, requestMeta } from '@jetway-apps/test-support'
import { oauth, jwt } from '@jetway/auth'
import { McpServer } from '@jetway/core'
import { type Authenticate, toFetch } from '@jetway/core/http'
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createApp, createKey, owners } from '../src/authorization/api-keys.ts'
import { byKeySet, byPublicKey, bySecret } from '../src/authorization/jwt.ts'
import { call, expectStderr, initialize, openSession } from './support.ts'

const RESOURCE = 'https://api.example.com/mcp'

async function listen(): Promise<string> {
  const app = await createApp()
  onTestFinished(() => app.close())
  return `${await app.listen({ port: 0, host: '127.0.0.1' })}/mcp`
}

describe('API keys in the credentials guide', () => {
  it('identify the caller', async () => {
    const url = await listen()
    const headers = { 'x-api-key': createKey({ principal: 'ada', scopes: [] }) }
    expect(await call(url, 'whoami', await openSession(url, headers))).toBe('You are ada')
  })

  it('are required, and become invalid when their owner is removed', async () => {
    const url = await listen()
    const key = createKey({ principal: 'ada', scopes: [] })
    expect((await initialize(url)).status).toBe(401)
    expect((await initialize(url, { 'x-api-key': 'wrong' })).status).toBe(401)
    expect((await initialize(url, { 'x-api-key': key })).status).toBe(200)
    owners.clear()
    expect((await initialize(url, { 'x-api-key': key })).status).toBe(401)
  })

  it("give their owner's scopes to tools", async () => {
    const url = await listen()
    const writer = { 'x-api-key': createKey({ principal: 'ada', scopes: ['files:write'] }) }
    const reader = { 'x-api-key': createKey({ principal: 'bob', scopes: ['files:read'] }) }
    expect(await call(url, 'delete_files', await openSession(url, writer))).toBe('Deleted')
    await expect(call(url, 'delete_files', await openSession(url, reader))).rejects.toThrow('content')
  })
})

describe('the bearer token in the credentials guide', () => {
  it('must match TOKEN, and does not include the scope for deleting files', async () => {
    vi.stubEnv('TOKEN', 'secret-of-ci')
    const { handler } = await import('../src/authorization/bearer-tokens.ts')
    vi.unstubAllEnvs()
    expect(await status(handler, 'secret-of-ci')).toBe(200)
    expect(await status(handler, 'secret-of-xx')).toBe(401)
    expect(await status(handler, 'short')).toBe(401)
    const refused = await post(handler, 'secret-of-ci', 'tools/call', { name: 'delete_files' })
    expect(refused.status).toBe(403)
    expect(refused.headers.get('www-authenticate')).toContain('scope="files:write"')
  })
})

const post = (
  handler: (of: Request) => Promise<Response>,
  token: string,
  method: string,
  params: object = {},
): Promise<Response> =>
  handler(
    new Request(RESOURCE, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...('name' in params && { 'mcp-name': String(params.name) }),
      },
      body: JSON.stringify(request(method, { ...params, _meta: requestMeta() })),
    }),
  )

const status = async (handler: (of: Request) => Promise<Response>, token: string): Promise<number> =>
  (await post(handler, token, 'server/discover')).status

const protectedBy = (authenticate: Authenticate) =>
  toFetch(new McpServer({ name: 'test', version: '1.0.0' }), {
    authenticate,
    publicUrl: RESOURCE,
    allowedHosts: ['api.example.com'],
  })

const inAnHour = Math.floor(Date.now() / 1000) + 3_600

/** Signs a token as the guide's issuer would. */
const sign = (key: CryptoKey | Uint8Array, alg: string, claims: object = {}, kid?: string) =>
  new SignJWT({
    iss: 'https://login.example.com',
    aud: RESOURCE,
    sub: 'ada',
    scope: 'mcp',
    exp: inAnHour,
    ...claims,
  })
    .setProtectedHeader({ alg, ...(kid !== undefined && { kid }) })
    .sign(key)

const WRONG = [
  ['another audience', { aud: 'https://other.example.com/mcp' }],
  ['no subject', { sub: undefined }],
  ['a time in the past', { exp: 1_000_000_000 }],
] as const

describe('JWTs in the credentials guide', () => {
  it("are verified with the issuer's public key", async () => {
    expectStderr()
    const { publicKey, privateKey } = await generateKeyPair('RS256')
    const handler = protectedBy(await byPublicKey(await exportSPKI(publicKey)))
    expect(await status(handler, await sign(privateKey, 'RS256'))).toBe(200)
    const other = await generateKeyPair('RS256')
    expect(await status(handler, await sign(other.privateKey, 'RS256'))).toBe(401)
    for (const [, claims] of [...WRONG, ['another issuer', { iss: 'https://other.example.com' }] as const])
      expect(await status(handler, await sign(privateKey, 'RS256', claims))).toBe(401)
  })

  it('are verified with a shared secret', async () => {
    expectStderr()
    const secret = crypto.getRandomValues(Buffer.alloc(32))
    const handler = protectedBy(bySecret(secret.toString('base64')))
    expect(await status(handler, await sign(secret, 'HS256'))).toBe(200)
    expect(await status(handler, await sign(Buffer.alloc(32), 'HS256'))).toBe(401)
    for (const [, claims] of WRONG)
      expect(await status(handler, await sign(secret, 'HS256', claims))).toBe(401)
  })

  it('cannot be verified with a secret that is too short', () => {
    expect(() => bySecret(Buffer.from('short').toString('base64'))).toThrow('at least 32 bytes')
    expect(() => bySecret()).toThrow('at least 32 bytes')
  })

  it('are verified with the keys at jwksUri, without any issuer metadata', async () => {
    expectStderr()
    expect(byKeySet).toBeTypeOf('function')
    const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true })
    const keys = [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256' }]
    const paths: unknown[] = []
    const issuer = createServer(({ url }, response) => {
      paths.push(url)
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys }))
    })
    onTestFinished(() => void issuer.close())
    await once(issuer.listen(0, '127.0.0.1'), 'listening')
    const origin = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`
    const handler = protectedBy(oauth({ issuer: origin, token: jwt({ jwksUri: `${origin}/keys.json` }) }))
    expect(await status(handler, await sign(privateKey, 'RS256', { iss: origin }, 'k1'))).toBe(200)
    expect(paths).toEqual(['/keys.json'])
    const { privateKey: forged } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    expect(await status(handler, await sign(forged as never, 'RS256', { iss: origin }, 'k1'))).toBe(401)
  })
})
