import { callTool, initialize } from '@jetway-apps/test-support'
import { HEADERS } from '@jetway-apps/test-support/http'
import { type AuthorizationServer, startAuthorizationServer } from '@jetway/testing/authorization-server'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { postCall } from './support/post.ts'
import { listenInWorker } from './support/worker.ts'

const WORKER = new URL('./fixtures/oauth.worker.ts', import.meta.url)
const MINUTE_MS = 60_000

let issuer: AuthorizationServer
let url: string

beforeEach(async () => {
  issuer = await startAuthorizationServer({ scopes: ['mcp', 'files:write'], lifetime: 36_000 })
  const worker = await listenInWorker(WORKER, { bindings: { ISSUER: issuer.issuer } })
  url = worker.url
  onTestFinished(async () => {
    await worker.stop()
    await issuer.close()
  })
})

const tokenFor = async (scopes: readonly string[] = ['mcp'], user = 'alice'): Promise<string> =>
  (await issuer.issue({ resource: url, scopes, user })).accessToken
const call = (token: string, name = 'whoami', signal?: AbortSignal): Promise<Response> =>
  postCall(url, name, {}, { headers: { authorization: `Bearer ${token}` }, ...(signal && { signal }) })
const pass = (ms: number): Promise<Response> => fetch(`${url}?pass=${ms}`)

it('a Worker directs a client to the authorization server with a 401, and serves a client that has a token', async () => {
  const refused = await postCall(url, 'whoami')
  expect(refused.status).toBe(401)
  const challenge = refused.headers.get('www-authenticate') ?? ''
  const [, metadataUrl = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? []
  expect(await (await fetch(metadataUrl)).json()).toMatchObject({
    resource: url,
    authorization_servers: [issuer.issuer],
    scopes_supported: ['mcp'],
  })
  const token = await tokenFor()
  expect(await (await call(token)).text()).toContain('alice')
  const headers = { ...HEADERS, authorization: `Bearer ${token}` }
  const opened = await fetch(url, { method: 'POST', headers, body: JSON.stringify(initialize()) })
  expect(opened.status).toBe(200)
  const older = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'mcp-protocol-version': '2025-11-25' },
    body: JSON.stringify(callTool('whoami')),
  })
  expect(await older.text()).toContain('alice')
})

it('a Worker requests the scopes that a tool needs, and refuses tokens for other servers', async () => {
  const refused = await call(await tokenFor(), 'write')
  expect(refused.status).toBe(403)
  expect(refused.headers.get('www-authenticate')).toContain('scope="mcp files:write"')
  expect(await (await call(await tokenFor(['mcp', 'files:write']), 'write')).text()).toContain('written')
  const { accessToken } = await issuer.issue({ resource: 'https://other.example/mcp', scopes: ['mcp'] })
  expect((await call(accessToken)).status).toBe(401)
})

it("a Worker serves concurrent requests that all need the issuer's keys", async () => {
  const users = ['alice', 'bob', 'carol', 'dave']
  const tokens = await Promise.all(users.map((user) => tokenFor(['mcp'], user)))
  const answers = await Promise.all(tokens.map((token) => call(token)))
  expect(answers.map(({ status }) => status)).toEqual(users.map(() => 200))
})

it('a Worker serves other clients even if the client that triggered the key fetch disconnects', async () => {
  const [first, second] = await Promise.all([tokenFor(), tokenFor(['mcp'], 'bob')])
  const before = issuer.requests('keys')
  issuer.disrupt('keys', 'silent')
  const leaving = new AbortController()
  const left = call(first, 'whoami', leaving.signal)
  left.catch(() => 'gone')
  await vi.waitUntil(() => issuer.requests('keys') > before)
  const waiting = call(second)
  leaving.abort()
  issuer.restore()
  expect((await waiting).status).toBe(200)
})

it('a Worker refreshes expired keys after it has responded, and retries on a later request if that fails', async () => {
  expect((await call(await tokenFor())).status).toBe(200)
  issuer.disrupt('keys', 'silent')
  await pass(11 * MINUTE_MS)
  const before = issuer.requests('keys')
  expect((await call(await tokenFor(['mcp'], 'bob'))).status).toBe(200)
  await vi.waitUntil(() => issuer.requests('keys') > before)
  issuer.restore()
  await pass(61 * MINUTE_MS)
  expect((await call(await tokenFor(['mcp'], 'carol'))).status).toBe(200)
})
