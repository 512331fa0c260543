import { type AuthProvider, Client } from '@jetway/client'
import { http } from '@jetway/client/http'
import { bearer, type EndpointOptions } from '@jetway/core/http'
import { expect, it } from 'vitest'
import { mount } from '../support/mounted.ts'
import { everything } from '../support/servers.ts'

/** Returns a provider whose tokens are each used for one request. The server refuses every third token once. */
function counting() {
  const given: string[] = []
  const refused: string[] = []
  const provider: AuthProvider = {
    headers: () => {
      const token = `${given.length % 3 === 2 ? 'stale' : 'good'}-${given.length}`
      given.push(token)
      return { authorization: `Bearer ${token}` }
    },
    onChallenge: async ({ status, sent }) => {
      refused.push(`${status} ${sent['authorization']}`)
      return 'retry'
    },
  }
  return { provider, given, refused }
}

it.each<[string, string, EndpointOptions]>([
  ['without sessions', '/mcp', { revisions: ['2026-07-28'] }],
  ['with sessions', '/mcp', { revisions: ['2025-11-25'] }],
  ['over HTTP+SSE', '/sse', { revisions: ['2024-11-05'], legacySse: true }],
])(
  'a transport sends new credentials with each request to a server %s, and retries after a challenge',
  async (_, path, options) => {
    const authenticate = bearer({
      verify: async (token) => (token.startsWith('good') ? { principal: 'somebody' } : undefined),
    })
    const { connect, requests } = mount(everything(), { ...options, authenticate })
    const { provider, given, refused } = counting()
    const client = await connect({}, { path, auth: provider })
    for (let call = 0; call < 4; call += 1)
      expect((await client.callTool('add', { a: call })).content).toHaveLength(1)
    await client.close()
    const seen = requests.map(({ headers }) => headers.get('authorization'))
    expect(seen).toEqual(given.map((token) => `Bearer ${token}`))
    expect(new Set(seen).size).toBe(seen.length)
    expect(refused.length).toBeGreaterThanOrEqual(2)
    expect(refused.every((each) => each.startsWith('401 Bearer stale'))).toBe(true)
    expect(requests.map(({ method }) => method)).toEqual(
      expect.arrayContaining(path === '/sse' ? ['GET', 'POST'] : ['POST']),
    )
  },
)

it('a transport sends credentials after a redirect within the origin, and follows no redirects to other origins', async () => {
  const { connect, fetch } = mount(everything(), { revisions: ['2025-11-25'] })
  let given = 0
  const sent: string[] = []
  let away = false
  const client = await connect(
    {},
    {
      path: '/old',
      auth: { headers: () => ({ authorization: `Bearer t${++given}` }) },
      fetch: async (url, init) => {
        const { headers, method } = new Request(url, init)
        sent.push(`${method} ${url} ${headers.get('authorization')}`)
        const location = away ? 'http://127.0.0.2:8000/mcp' : '/mcp'
        if (url.endsWith('/old')) return new Response(null, { status: 307, headers: { location } })
        return fetch(url, init)
      },
    },
  )
  expect((await client.callTool('hello')).content).toHaveLength(1)
  expect(sent.filter((line) => line.includes('POST')).slice(0, 2)).toEqual([
    'POST http://127.0.0.1:8000/old Bearer t1',
    'POST http://127.0.0.1:8000/mcp Bearer t2',
  ])
  expect(new Set(sent.map((line) => line.split(' ').at(-1))).size).toBe(given)
  away = true
  await expect(client.callTool('hello')).rejects.toThrow('redirects to another origin')
  expect(sent.filter((line) => line.includes('127.0.0.2'))).toEqual([])
  away = false
})

it.each<[string, (failure: Error) => AuthProvider]>([
  ['`headers` rejects', (failure) => ({ headers: () => Promise.reject(failure) })],
  [
    '`onChallenge` rejects',
    (failure) => ({ headers: () => undefined, onChallenge: () => Promise.reject(failure) }),
  ],
])("a transport fails the request with the provider's error if %s", async (_, providerOf) => {
  const failure = new Error('The vault at /secret/place is closed')
  const client = new Client({ name: 'c', version: '1' }, { eras: false })
  const connecting = client.connect(
    http('http://127.0.0.1:8000/mcp', {
      auth: providerOf(failure),
      fetch: async () => new Response(null, { status: 401 }),
    }),
  )
  await expect(connecting).rejects.toMatchObject({
    code: 'transport',
    authFailed: true,
    message: 'Authorization at http://127.0.0.1:8000 has failed: see the cause',
    cause: failure,
  })
})
