import { inspect } from 'node:util'
import { Client, withAuth } from '@jetway/client'
import { http } from '@jetway/client/http'
import { clientCredentials, memoryCredentials, oauth } from '@jetway/client/oauth'
import { describe, expect } from 'vitest'
import type { Seen } from './support/scripted.ts'
import { failure, it as base, type World } from './support/world.ts'

const it = base.extend('made', ({ made }) => {
  made.metadata['token_endpoint_auth_methods_supported'] = ['client_secret_post']
  return made
})

const SECRET = 'canary-client-secret'
const options = ({ issuer }: World): object => ({
  clients: [{ clientId: 'c', clientSecret: SECRET, issuer: issuer.origin }],
})

/** Returns all text that a logger could print for an error. */
function printed(error: unknown): string {
  const { stack, message } = error as Error
  return [
    stack,
    message,
    String(error),
    inspect(error, { depth: 10, showHidden: true }),
    JSON.stringify(error),
  ].join('\n')
}

describe('an authorization error', () => {
  it('does not contain a secret that the authorization server echoes', async ({ made }) => {
    let last: Seen | undefined
    made.token = (seen) => {
      last = seen
      const echo = `you sent ${decodeURIComponent(seen.body)}`
      return {
        status: 400,
        json: { error: 'invalid_grant', error_description: echo, access_token: 'canary-token' },
      }
    }
    const error = printed(await failure(made.post(options(made))))
    expect(error).toContain('invalid_grant')
    const sent = Object.fromEntries(last?.form ?? [])
    for (const secret of [SECRET, sent['code_verifier'], 'canary-token']) expect(error).not.toContain(secret)
  })

  it('contains neither the refresh token, nor the code, nor a token from an invalid response', async ({
    made,
  }) => {
    const send = made.sender(options(made))
    await send()
    made.valid.clear()
    made.token = ({ form }) => ({
      status: 400,
      json: {
        error: 'invalid_request',
        error_description: `bad ${form.get('refresh_token')} ${form.get('code')}`,
      },
    })
    const refused = printed(await failure(send()))
    expect(refused).toContain('[secret]')
    expect(refused).not.toContain('refresh-token-1')
    for (const json of [
      { access_token: 'canary-token', token_type: 'weird' },
      { access_token: 'canary-token' },
      { access_token: ['canary-token'], token_type: 'Bearer' },
      { access_token: 'canary-token', token_type: 'Bearer', expires_in: 'canary-token' },
      { access_token: 'canary-token', token_type: 'Bearer', scope: ['canary-token'] },
    ]) {
      made.token = () => ({ json })
      expect(printed(await failure(send()))).not.toMatch(/canary-token|refresh-token-1/)
    }
    made.token = () => ({
      text: 'canary-token refresh-token-1',
      headers: { 'content-type': 'application/json' },
    })
    expect(printed(await failure(send()))).not.toMatch(/canary-token|refresh-token-1/)
  })

  it.for([
    ['a line break', 'canary-token\nx'],
    ['a carriage return and a header', 'canary-token\r\nx-injected: 1'],
    ['a space', 'canary-token x'],
    ['a null byte', 'canary-token\0'],
    ['a character beyond ASCII', 'canary-token-王'],
  ])(
    'is thrown for an access token that is not a valid header value, such as one with %s',
    async ([, token], { made }) => {
      made.token = () => ({ json: { access_token: token, token_type: 'Bearer' } })
      const error = await failure(made.post(options(made)))
      expect(error.reason).toBe('token')
      expect(printed(error)).not.toContain('canary-token')
    },
  )

  it('contains neither the state nor the code from an invalid redirect', async ({ made }) => {
    const { browse } = made
    let back = new URL('http://x')
    made.browse = async (url) => {
      back = new URL(await browse(url))
      back.searchParams.set('iss', 'https://evil.example')
      return back.href
    }
    const error = printed(await failure(made.post(options(made))))
    for (const name of ['state', 'code']) expect(error).not.toContain(back.searchParams.get(name))
  })
})

it('a stored access token is not sent if it is not a valid header value', async ({ made }) => {
  const store = memoryCredentials()
  const { issuer, url } = made
  await store.write('tokens', url, {
    issuer: issuer.origin,
    clientId: 'c',
    accessToken: 'canary\ntoken',
    tokenType: 'bearer',
    scopes: [],
  })
  expect((await made.post({ ...options(made), store })).status).toBe(200)
})

it("an error for an invalid header does not contain the header's value", async () => {
  const headers = { 'x-api-key': 'canary\nsecret' }
  const request = { method: 'POST', body: '{}' }
  const failures = [
    withAuth(fetch, { headers: () => headers }, 'http://127.0.0.1:1/mcp')('http://127.0.0.1:1/mcp', request),
    withAuth(
      fetch,
      { headers: () => ({}) },
      'http://127.0.0.1:1/mcp',
    )('http://127.0.0.1:1/mcp', {
      ...request,
      headers,
    }),
    new Client({ name: 'test', version: '1' }, { eras: false }).connect(
      http('http://127.0.0.1:1/mcp', { headers }),
    ),
  ].map((sent) => sent.then(() => 'sent', printed))
  for (const error of await Promise.all(failures)) {
    expect(error).toContain('cannot be sent')
    expect(error).not.toContain('canary')
  }
})

describe("a provider's secrets", () => {
  it('are not printed when the provider is inspected', async () => {
    const provider = oauth({ grant: clientCredentials(), clients: [{ clientId: 'c', clientSecret: SECRET }] })
    expect(inspect(provider, { depth: 10, showHidden: true })).not.toContain(SECRET)
  })

  it('are sent only to the origin of the server to which they belong', async ({ made }) => {
    const provider = oauth({ grant: clientCredentials(), ...options(made) })
    const request = { resource: made.url, url: made.url, method: 'POST' }
    await provider.onChallenge?.({ ...request, sent: {}, status: 401, headers: new Headers() })
    expect(await provider.headers(request)).toEqual({ authorization: 'Bearer access-token-1' })
    for (const url of ['http://127.0.0.1:1/mcp', made.url.replace('http:', 'https:'), made.issuer.origin])
      expect(await provider.headers({ ...request, url })).toBeUndefined()
  })
})
