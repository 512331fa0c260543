import { describe, expect } from 'vitest'
import { challengeWith, fresh, it, reasonOf, type World } from './support/world.ts'

const gets = (seen: readonly { method: string; path: string }[]): string[] =>
  seen.filter(({ method }) => method === 'GET').map(({ path }) => path)

/** https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/authorization-server-discovery */
describe('protected resource metadata', () => {
  it('is read from the URL in the challenge', async ({ made }) => {
    made.server.routes.set('GET /elsewhere.json', () => ({ json: made.resourceMetadata }))
    const metadata = `resource_metadata="${made.server.origin}/elsewhere.json"`
    challengeWith(made, `Basic realm="x", Bearer error="invalid_token" , ${metadata}`)
    expect((await made.post()).status).toBe(200)
    expect(gets(made.server.seen)).toEqual(['/elsewhere.json'])
  })

  it('is looked up under the path, and then at the root, if the challenge contains no URL', async ({
    made,
  }) => {
    challengeWith(made)
    expect((await made.post()).status).toBe(200)
    made.server.seen.length = 0
    const { resource, ...rest } = made.resourceMetadata
    made.server.routes.delete('GET /.well-known/oauth-protected-resource/mcp')
    made.server.routes.set('GET /.well-known/oauth-protected-resource', () => ({
      json: { ...rest, resource: new URL(String(resource)).origin },
    }))
    expect((await made.post()).status).toBe(200)
    expect(gets(made.server.seen)).toEqual([
      '/.well-known/oauth-protected-resource/mcp',
      '/.well-known/oauth-protected-resource',
    ])
    expect(made.issuer.to('POST /token').map(({ form }) => form.get('resource'))).toEqual([
      made.url,
      made.server.origin,
    ])
  })

  it.for([
    ['another origin', 'https://evil.example/mcp'],
    ['a shorter path', '/mc'],
    ['a deeper path', '/mcp/deeper'],
    ['another path', '/other'],
    ['a fragment', '/mcp#x'],
    ['no origin', 'mcp'],
    ['another query', '/mcp?tenant=2'],
  ] as const)(
    'is rejected, without asking the user, if its `resource` has %s',
    async ([, resource], { made }) => {
      made.resourceMetadata['resource'] = resource.startsWith('/') ? made.server.origin + resource : resource
      expect(await reasonOf(made.post())).toBe('discovery')
      expect(made.issuer.seen).toEqual([])
    },
  )

  it.for([[[]], [undefined], ['https://as.example'], [[1]]])(
    'is rejected if the authorization servers are %j',
    async ([issuers], { made }) => {
      made.resourceMetadata['authorization_servers'] = issuers
      expect(await reasonOf(made.post())).toBe('discovery')
    },
  )

  it.for([404, 500, 302])(
    'causes the request to fail if its URL returns status %i',
    async (status, { made }) => {
      made.server.routes.set('GET /.well-known/oauth-protected-resource/mcp', () => ({
        status,
        headers: { location: `${made.server.origin}/moved` },
      }))
      expect(await reasonOf(made.post())).toBe('discovery')
      expect(made.server.to('GET /moved')).toEqual([])
    },
  )
})

describe('the selected authorization server', () => {
  it('is the first one, one from `clients`, or the result of `chooseIssuer`', async ({ made, other }) => {
    const issuers = [made.issuer.origin, other.issuer.origin]
    made.resourceMetadata['authorization_servers'] = issuers
    // Only the request to the other server matters, because its token is not valid for this server.
    const asked = async (options: Parameters<World['connect']>[0]): Promise<string[]> => {
      made.visits.length = 0
      await made.post(options)
      return made.visits.map(({ origin }) => origin)
    }
    expect(await asked({})).toEqual([made.issuer.origin])
    expect(await asked({ clients: [{ clientId: 'c', issuer: other.issuer.origin }] })).toEqual([
      other.issuer.origin,
    ])
    expect(await asked({ chooseIssuer: ([, second]) => second ?? '' })).toEqual([other.issuer.origin])
    expect(await reasonOf(asked({ chooseIssuer: () => 'https://third.example' }))).toBe('issuer')
  })
})

describe('authorization server metadata', () => {
  it.each([
    ['', ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']],
    [
      '/tenant1',
      [
        '/.well-known/oauth-authorization-server/tenant1',
        '/.well-known/openid-configuration/tenant1',
        '/tenant1/.well-known/openid-configuration',
      ],
    ],
  ])('is looked up in the specified order for an issuer with the path %j', async (path, order) => {
    for (const [at, last] of order.entries()) {
      const made = await fresh()
      made.metadata['issuer'] = made.issuer.origin + path
      made.resourceMetadata['authorization_servers'] = [made.metadata['issuer']]
      made.issuer.routes.delete('GET /.well-known/oauth-authorization-server')
      // Replies with an HTML page instead of metadata, because some servers do this for every URL.
      for (const before of order.slice(0, at))
        made.issuer.routes.set(`GET ${before}`, () => ({ text: '<html>' }))
      made.issuer.routes.set(`GET ${last}`, () => ({ json: made.metadata }))
      expect((await made.post()).status).toBe(200)
      expect(gets(made.issuer.seen).filter((each) => each !== '/authorize')).toEqual(order.slice(0, at + 1))
    }
  })

  it.for(['/', '/tenant2', '?x=1'])(
    'is rejected if its issuer ends with an extra %j',
    async (more, { made }) => {
      made.metadata['issuer'] = made.issuer.origin + more
      expect(await reasonOf(made.post())).toBe('issuer')
      expect(made.issuer.seen.every(({ path }) => path.startsWith('/.well-known/'))).toBe(true)
    },
  )

  it('causes the request to fail if it does not exist', async ({ made }) => {
    made.issuer.routes.clear()
    expect(await reasonOf(made.post())).toBe('discovery')
  })
})

/** https://modelcontextprotocol.io/specification/2025-03-26/basic/authorization#server-metadata-discovery */
describe('a server without resource metadata', () => {
  async function old(): Promise<World> {
    const made = await fresh()
    challengeWith(made)
    made.server.routes.delete('GET /.well-known/oauth-protected-resource/mcp')
    for (const [route, answer] of made.issuer.routes) made.server.routes.set(route, answer)
    for (const name of ['authorization', 'token', 'registration'])
      made.metadata[`${name}_endpoint`] = String(made.metadata[`${name}_endpoint`]).replace(
        made.issuer.origin,
        made.server.origin,
      )
    return made
  }

  it.each(['', '/'])(
    'is treated as its own authorization server, even if the issuer ends with %j',
    async (slash) => {
      const made = await old()
      made.metadata['issuer'] = made.server.origin + slash
      expect((await made.post()).status).toBe(200)
      const metadata = made.server.to('GET /.well-known/oauth-authorization-server')
      expect(metadata[0]?.headers['mcp-protocol-version']).toMatch(/^\d{4}-\d\d-\d\d$/)
      expect(made.server.to('POST /token')[0]?.form.get('resource')).toBe(made.url)
    },
  )

  it('is assumed to have the default endpoints if it has no authorization server metadata either', async () => {
    const made = await old()
    made.server.routes.delete('GET /.well-known/oauth-authorization-server')
    // The stored registrations belong to the other server.
    made.server.routes.set('POST /register', () => ({
      status: 201,
      json: { client_id: 'c', token_endpoint_auth_method: 'none' },
    }))
    expect((await made.post()).status).toBe(200)
    expect(made.visits.map(({ origin, pathname }) => origin + pathname)).toEqual([
      `${made.server.origin}/authorize`,
    ])
    expect(made.visits[0]?.searchParams.get('code_challenge_method')).toBe('S256')
    expect(made.server.to('POST /token')).toHaveLength(1)
  })
})
