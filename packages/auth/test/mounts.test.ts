import { McpServer } from '@jetway/core'
import { callTool, initialize, INITIALIZED, MODERN, requestMeta, silent } from '@jetway-apps/test-support'
import { HEADERS } from '@jetway-apps/test-support/http'
import { NODE_MOUNTS } from '@jetway-apps/test-support/mounts'
import { describe, expect, it, onTestFinished } from 'vitest'
import { oauth } from '../src/index.ts'
import { createIssuer, type TestIssuer } from './support/issuer.ts'

function createServer(): McpServer {
  const server = new McpServer({ name: 'files', version: '1.0.0' }, { logger: silent })
  server.addTool({ name: 'whoami', handler: (_args, { auth }) => JSON.stringify(auth) })
  server.addTool({ name: 'write_file', scopes: ['files:write'], handler: () => 'written' })
  return server
}

const challengeOf = (response: Response): string => response.headers.get('www-authenticate') ?? ''
const metadataOf = (challenge: string): string => /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? ''

interface Site {
  readonly issuer: TestIssuer
  readonly url: string
  readonly post: (body: object, token?: string, headers?: object) => Promise<Response>
}

async function serve(mount: (typeof NODE_MOUNTS)['Node']): Promise<Site> {
  const issuer = await createIssuer()
  const authenticate = oauth({ issuer: issuer.issuer, scopes: ['mcp'], fetch: issuer.fetch })
  const { origin, stop } = await mount(createServer(), { authenticate })
  onTestFinished(stop)
  const url = `${origin}/mcp`
  return {
    issuer,
    url,
    post: (body, token, headers = {}) =>
      fetch(url, {
        method: 'POST',
        headers: { ...HEADERS, ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
        body: JSON.stringify(body),
      }),
  }
}

describe.each(Object.entries(NODE_MOUNTS))('oauth on %s', (_name, mount) => {
  it('points to the metadata in its 401, and serves a client that has a token', async () => {
    const { issuer, url, post } = await serve(mount)
    const refused = await post(initialize())
    expect(refused.status).toBe(401)
    const metadataUrl = metadataOf(challengeOf(refused))
    expect(metadataUrl).toBe(url.replace('/mcp', '/.well-known/oauth-protected-resource/mcp'))
    expect(await (await fetch(metadataUrl)).json()).toEqual({
      resource: url,
      authorization_servers: [issuer.issuer],
      scopes_supported: ['mcp'],
      bearer_methods_supported: ['header'],
    })
    const token = await issuer.sign({ aud: url, scope: 'mcp' })
    const opened = await post(initialize(), token)
    expect(opened.status).toBe(200)
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
    await post(INITIALIZED, token, session)
    const answer = await (await post(callTool('whoami'), token, session)).text()
    expect(answer).toContain('client')
    expect(answer).not.toContain(token)
  })

  it.each(['session', 'stateless'] as const)(
    'replies with 403 and the scopes that the tool requires (%s)',
    async (era) => {
      const { issuer, url, post } = await serve(mount)
      const call = async (token: string): Promise<Response> => {
        if (era === 'stateless') {
          const headers = {
            'mcp-protocol-version': MODERN,
            'mcp-method': 'tools/call',
            'mcp-name': 'write_file',
          }
          const message = callTool('write_file', {})
          return post({ ...message, params: { ...message.params, _meta: requestMeta() } }, token, headers)
        }
        const opened = await post(initialize(), token)
        const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
        return post(callTool('write_file'), token, session)
      }
      const refused = await call(await issuer.sign({ aud: url, scope: 'mcp' }))
      expect(refused.status).toBe(403)
      expect(challengeOf(refused)).toContain('error="insufficient_scope"')
      expect(challengeOf(refused)).toContain('scope="mcp files:write"')
      expect(await refused.json()).toMatchObject({
        error: { code: -32600, data: { scopes: ['files:write'] } },
      })
      const granted = await call(await issuer.sign({ aud: url, scope: 'mcp files:write' }))
      expect(await granted.text()).toContain('written')
    },
  )

  it('refuses a token for another server', async () => {
    const { issuer, post } = await serve(mount)
    const refused = await post(
      initialize(),
      await issuer.sign({ aud: 'https://other.example/mcp', scope: 'mcp' }),
    )
    expect(refused.status).toBe(401)
    expect(challengeOf(refused)).toContain('error="invalid_token"')
  })
})
