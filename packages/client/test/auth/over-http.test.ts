import { type AuthProvider, Client } from '@jetway/client'
import { http } from '@jetway/client/http'
import { bearer, type EndpointOptions, toFetch } from '@jetway/core/http'
import { expect, it } from 'vitest'
import { everything } from '../support/servers.ts'

/** Tokens of which each is good for one request, and of which every third is refused once. */
function counting(): {
  readonly provider: AuthProvider
  readonly given: string[]
  readonly refused: string[]
} {
  const given: string[] = []
  const refused: string[] = []
  const provider: AuthProvider = {
    headers: () => {
      const token = `${given.length % 3 === 2 ? 'stale' : 'good'}-${given.length}`
      given.push(token)
      return { authorization: `Bearer ${token}` }
    },
    challenged: async ({ status, sent }) => {
      refused.push(`${status} ${sent['authorization']}`)
      return 'retry'
    },
  }
  return { provider, given, refused }
}

it.each<[string, string, EndpointOptions]>([
  ['without sessions', '/mcp', { revisions: ['2026-07-28'] }],
  ['with sessions', '/mcp', { revisions: ['2025-11-25'] }],
  ['of HTTP+SSE', '/sse', { revisions: ['2024-11-05'], legacySse: true }],
])(
  'every request to a server %s has credentials of its own, and is sent again where they are refused',
  async (_, path, options) => {
    const authenticate = bearer({
      verify: async (token) => (token.startsWith('good') ? { principal: 'somebody' } : undefined),
    })
    const handler = toFetch(everything(), { ...options, authenticate })
    const { provider, given, refused } = counting()
    const seen: (string | null)[] = []
    const methods = new Set<string>()
    const client = new Client({ name: 'c', version: '1' }, { eras: false })
    const auth: AuthProvider = provider
    await client.connect(
      http(`http://127.0.0.1:8000${path}`, {
        auth,
        fetch: async (url, init) => {
          const request = new Request(url, { ...init, ...(init.body && { duplex: 'half' }) })
          seen.push(request.headers.get('authorization'))
          methods.add(request.method)
          return await handler(request)
        },
      }),
    )
    for (let call = 0; call < 4; call += 1)
      expect((await client.callTool('add', { a: call })).content).toHaveLength(1)
    await client.close()
    expect(seen).toEqual(given.map((token) => `Bearer ${token}`))
    expect(new Set(seen).size).toBe(seen.length)
    expect(refused.length).toBeGreaterThanOrEqual(2)
    expect(refused.every((each) => each.startsWith('401 Bearer stale'))).toBe(true)
    expect([...methods]).toEqual(expect.arrayContaining(path === '/sse' ? ['GET', 'POST'] : ['POST']))
    await handler.close({ deadline: 0 })
  },
)
