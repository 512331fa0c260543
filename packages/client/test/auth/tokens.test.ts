import { withAuth } from '@jetway/client'
import {
  authorizationCode,
  clientCredentials,
  type CredentialStore,
  memoryCredentials,
  oauth,
  type StoredTokens,
} from '@jetway/client/oauth'
import { describe, expect } from 'vitest'
import {
  challengeWith,
  interactive,
  it,
  post,
  REDIRECT,
  reasonOf,
  withoutRefreshToken,
  type World,
} from './support/world.ts'

const grants = ({ issuer }: World): (string | null)[] =>
  issuer.to('POST /token').map(({ form }) => form.get('grant_type'))
const visited = ({ visits }: World, name: string): (string | null)[] =>
  visits.map(({ searchParams }) => searchParams.get(name))

/** https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#scope-selection-strategy */
describe('the requested scopes', () => {
  it.for<[string, string[], string[] | undefined, string | null]>([
    ['those from the challenge', ['a', 'b'], ['c'], 'a b'],
    ['those that the server supports if the challenge names none', [], ['c', 'd'], 'c d'],
    ['absent if neither the challenge nor the server names any', [], undefined, null],
  ])('are %s', async ([, challenged, supported, expected], { made }) => {
    made.wanted = challenged
    if (supported !== undefined) made.resourceMetadata['scopes_supported'] = supported
    expect((await made.post()).status).toBe(200)
    expect(visited(made, 'scope')).toEqual([expected])
  })

  it('include the earlier scopes after a step-up', async ({ made, send }) => {
    made.wanted = ['read']
    await send()
    made.wanted = ['write']
    expect((await send()).status).toBe(200)
    expect(visited(made, 'scope')).toEqual(['read', 'read write'])
  })

  it('include the scopes that an earlier process requested', async ({ made }) => {
    const store = memoryCredentials()
    made.wanted = ['read']
    await post(made.connect({ store }), made)
    made.wanted = ['write']
    expect((await post(made.connect({ store }), made)).status).toBe(200)
    expect(visited(made, 'scope')).toEqual(['read', 'read write'])
  })

  it('are not requested a second time if the server did not grant them', async ({ made, send }) => {
    made.wanted = ['admin']
    made.token = (_seen, json) => {
      made.valid.set(String(json['access_token']), ['less'])
      return { json: { ...json, scope: 'less' } }
    }
    expect((await send()).status).toBe(403)
    expect((await send()).status).toBe(403)
    expect(made.visits).toHaveLength(1)
  })

  it('trigger only a few authorizations, even if the server keeps requiring more scopes', async ({
    made,
    send,
  }) => {
    await send()
    let at = 0
    made.server.routes.set('POST /mcp', () => {
      const scope = Array.from({ length: 30 }, () => `s${(at += 1)}`).join(' ')
      return {
        status: 403,
        headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
      }
    })
    made.server.routes.set('GET /.well-known/oauth-protected-resource', () => ({
      json: made.resourceMetadata,
    }))
    const before = made.visits.length
    for (let i = 0; i < 5; i += 1) expect((await send()).status).toBe(403)
    expect(made.visits.length - before).toBeLessThanOrEqual(3)
  })

  it('are not extended after a 403 response without the error insufficient_scope', async ({ made, send }) => {
    await send()
    made.server.routes.set('POST /mcp', () => ({
      status: 403,
      headers: { 'www-authenticate': 'Bearer scope="x"' },
    }))
    expect((await send()).status).toBe(403)
    expect(made.visits).toHaveLength(1)
  })

  it.for<[string[], boolean | undefined, string, string | null]>([
    [['x', 'offline_access'], undefined, 'x offline_access', 'consent'],
    [['x', 'offline_access'], false, 'x', null],
    [['x'], undefined, 'x', null],
  ])(
    'for the supported scopes %j and offlineAccess %j, are %s',
    async ([supported, offlineAccess, scope, prompt], { made }) => {
      made.wanted = ['x']
      made.metadata['scopes_supported'] = supported
      const grant = authorizationCode({
        redirectUri: REDIRECT,
        authorize: (url) => made.browse(url),
        ...(offlineAccess === undefined ? {} : { offlineAccess }),
      })
      await made.post({ grant })
      expect([visited(made, 'scope'), visited(made, 'prompt')]).toEqual([[scope], [prompt]])
    },
  )
})

describe('concurrent requests that receive a challenge', () => {
  it('share a single authorization', async ({ made, send }) => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => send()))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
    expect([made.visits.length, grants(made)]).toEqual([1, ['authorization_code']])
  })

  it('share a single refresh', async ({ made, send }) => {
    await send()
    made.valid.clear()
    const answers = await Promise.all(Array.from({ length: 10 }, () => send()))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect(grants(made)).toEqual(['authorization_code', 'refresh_token'])
  })

  it('all reject if the shared authorization fails, and the next request tries again', async ({
    made,
    send,
  }) => {
    made.token = () => ({ status: 400, json: { error: 'invalid_request' } })
    const failed = await Promise.all(Array.from({ length: 5 }, () => reasonOf(send())))
    expect([failed, made.visits.length]).toEqual([Array.from({ length: 5 }, () => 'token'), 1])
    made.token = (_seen, json) => ({ json })
    expect((await send()).status).toBe(200)
  })

  it('can each be aborted separately', async ({ made, send }) => {
    const { browse } = made
    const impatient = new AbortController()
    made.browse = async (url) => {
      impatient.abort(new Error('no time'))
      return browse(url)
    }
    const [gone, stayed] = await Promise.allSettled([send(impatient.signal), send()])
    expect([gone?.status, stayed?.status]).toEqual(['rejected', 'fulfilled'])
    expect(made.visits).toHaveLength(1)
  })
})

describe('an expiring token', () => {
  const HOUR = 3_600_000

  it('is refreshed early, with the latest refresh token', async ({ made }) => {
    let now = 0
    const send = made.sender({ clock: { now: () => now } })
    await send()
    now = HOUR - 30_001
    await send()
    expect(grants(made)).toEqual(['authorization_code'])
    now = HOUR - 30_000
    await send()
    now *= 3
    made.token = withoutRefreshToken
    await send()
    now *= 3
    await send()
    const forms = made.issuer.to('POST /token').map(({ form }) => form)
    expect(forms.map((form) => form.get('refresh_token'))).toEqual([
      null,
      'refresh-token-1',
      'refresh-token-2',
      'refresh-token-2',
    ])
    expect(new Set(forms.map((form) => form.get('resource')))).toEqual(new Set([made.url]))
    expect(made.visits).toHaveLength(1)
    expect(
      made.server.to('POST /mcp').filter(({ headers }) => headers['authorization'] === undefined),
    ).toHaveLength(1)
  })

  it('triggers a new authorization if its refresh token is rejected', async ({ made, send }) => {
    await send()
    made.valid.clear()
    made.token = ({ form }, json) =>
      form.get('grant_type') === 'refresh_token'
        ? { status: 400, json: { error: 'invalid_grant' } }
        : { json }
    expect((await send()).status).toBe(200)
    expect([grants(made), made.visits.length]).toEqual([
      ['authorization_code', 'refresh_token', 'authorization_code'],
      2,
    ])
  })

  it('is deleted as soon as its refresh token is rejected, before the user authorizes the client again', async ({
    made,
  }) => {
    const store = memoryCredentials()
    await post(made.connect({ store }), made)
    made.valid.clear()
    made.token = () => ({ status: 400, json: { error: 'invalid_grant' } })
    made.browse = () => Promise.reject(new Error('The window was closed'))
    await expect(post(made.connect({ store }), made)).rejects.toThrow('The window was closed')
    expect(await store.read('tokens', made.url)).toBeUndefined()
    await expect(post(made.connect({ store }), made)).rejects.toThrow('The window was closed')
    expect(grants(made)).toEqual(['authorization_code', 'refresh_token'])
  })

  it('is kept, together with its refresh token, if the authorization server fails', async ({
    made,
    send,
  }) => {
    await send()
    made.valid.clear()
    made.token = () => ({ status: 503, text: 'later' })
    expect(await reasonOf(send())).toBe('token')
    made.token = (_seen, json) => ({ json })
    expect((await send()).status).toBe(200)
    expect(made.visits).toHaveLength(1)
  })

  it('does not cause endless token requests if the server rejects every token', async ({ made }) => {
    let now = 0
    const send = made.sender({ clock: { now: () => now } })
    made.server.routes.set('POST /mcp', () => ({ status: 401 }))
    for (let i = 0; i < 3; i += 1) expect((await send()).status).toBe(401)
    expect(made.visits).toHaveLength(1)
    now = 60_000
    await send()
    expect(grants(made)).toEqual(['authorization_code', 'refresh_token', 'authorization_code'])
  })

  it('without a refresh token, is used for as long as the server accepts it', async ({ made }) => {
    let now = 0
    made.token = (_seen, { access_token, token_type }) => ({
      json: { access_token, token_type, expires_in: 10 },
    })
    const send = made.sender({ clock: { now: () => now } })
    expect((await send()).status).toBe(200)
    now = 20_000
    expect((await send()).status).toBe(200)
    expect(made.visits).toHaveLength(1)
  })

  it('can be refreshed by a later process, which uses the stored metadata URL', async ({ made }) => {
    const store = memoryCredentials()
    const metadata = made.server.routes.get('GET /.well-known/oauth-protected-resource/mcp')
    made.server.routes.delete('GET /.well-known/oauth-protected-resource/mcp')
    made.server.routes.set('GET /own.json', () => metadata?.({} as never) ?? {})
    challengeWith(made, `Bearer resource_metadata="${made.server.origin}/own.json"`)
    await made.post({ store, clock: { now: () => 0 } })
    expect((await made.post({ store, clock: { now: () => HOUR } })).status).toBe(200)
    expect([grants(made), made.visits.length]).toEqual([['authorization_code', 'refresh_token'], 1])
    expect(made.server.to('POST /mcp')).toHaveLength(3)
  })

  it('is used until it expires if it cannot be refreshed early', async ({ made }) => {
    let now = 0
    const send = made.sender({ clock: { now: () => now } })
    await send()
    made.token = () => ({ status: 503, text: 'later' })
    now = HOUR - 1
    expect((await send()).status).toBe(200)
    now = HOUR
    expect(await reasonOf(send())).toBe('token')
  })
})

describe('stored credentials', () => {
  it('are used by a later provider without asking the user', async ({ made }) => {
    const store = memoryCredentials()
    await made.post({ store })
    await made.post({ store })
    expect([made.visits.length, made.server.to('POST /mcp').length]).toEqual([1, 3])
    expect(await store.read('tokens', made.url)).toMatchObject({
      issuer: made.issuer.origin,
      accessToken: 'access-token-1',
    })
  })

  it('are not used if the server names another authorization server', async ({ made, other, send }) => {
    await send()
    made.resourceMetadata['authorization_servers'] = [other.issuer.origin]
    made.valid.clear()
    other.token = (_seen, json) => {
      made.valid.set(String(json['access_token']), [])
      return { json }
    }
    expect((await send()).status).toBe(200)
    expect(grants(other)).toEqual(['authorization_code'])
    expect(other.issuer.seen.some(({ body }) => body.includes('refresh-token'))).toBe(false)
  })

  it('are kept separately for each server', async ({ made, other }) => {
    const provider = oauth(interactive(made))
    const [one, two] = [made, other].map((each) => withAuth(fetch, provider, each.url))
    await post(one as never, made)
    other.browse = made.browse
    await post(two as never, other)
    const sent = (each: World): string[] =>
      each.server.to('POST /mcp').map(({ headers }) => headers['authorization'] ?? '')
    expect([sent(made), sent(other)]).toEqual([
      ['', 'Bearer access-token-1'],
      ['', 'Bearer access-token-1'],
    ])
    expect([made.issuer.to('POST /token').length, other.issuer.to('POST /token').length]).toEqual([1, 1])
  })

  it("are evicted from the provider's memory, least recently used first, and read from the store again", async () => {
    const read: string[] = []
    const store: CredentialStore = {
      read: async (_kind, name) => {
        read.push(name)
        return undefined
      },
      write: async () => undefined,
    }
    const provider = oauth({ grant: clientCredentials(), store })
    const ask = (at: number): unknown => {
      const resource = `https://server-${at}.example/mcp`
      return provider.headers({ resource, url: resource, method: 'POST' })
    }
    for (let at = 0; at < 256; at += 1) await ask(at)
    await ask(0)
    await ask(256)
    await ask(0)
    expect(read).toHaveLength(257)
    await ask(1)
    expect(read.filter((name) => name.includes('server-1.'))).toHaveLength(2)
  })

  it('are evicted from an in-memory store, least recently written first, when the limit is reached', async () => {
    const store = memoryCredentials(2)
    const token = {
      issuer: 'i',
      clientId: 'c',
      accessToken: 'a',
      tokenType: 'bearer',
      scopes: [],
    } satisfies StoredTokens
    for (const name of ['1', '2', '1', '3']) await store.write('tokens', name, token)
    const left = await Promise.all(['1', '2', '3'].map((name) => store.read('tokens', name)))
    expect(left).toEqual([token, undefined, token])
    await store.write('tokens', '1', undefined)
    expect(await store.read('tokens', '1')).toBeUndefined()
  })

  it('stay in an in-memory store even if a server names many authorization servers', async () => {
    const store = memoryCredentials(4)
    await store.write('issuer', 'c', 'https://own.example')
    await store.write('client', 'https://own.example', { clientId: 'own', redirectUris: [] })
    await store.write('tokens', 'https://server.example', {
      issuer: 'https://own.example',
      clientId: 'own',
      accessToken: 'a',
      tokenType: 'bearer',
      scopes: [],
    })
    for (let i = 0; i < 10; i++)
      await store.write('client', `https://${i}.evil.example`, { clientId: `${i}`, redirectUris: [] })
    expect(await store.read('issuer', 'c')).toBe('https://own.example')
    expect(await store.read('client', 'https://own.example')).toMatchObject({ clientId: 'own' })
    expect(await store.read('tokens', 'https://server.example')).toMatchObject({ accessToken: 'a' })
    expect(await store.read('client', 'https://9.evil.example')).toMatchObject({ clientId: '9' })
    expect(await store.read('client', 'https://8.evil.example')).toBeUndefined()
  })
})
