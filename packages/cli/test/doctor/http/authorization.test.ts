import { describe, expect, it } from 'vitest'
import { checkAuthorization } from '../../../src/doctor/http/authorization.ts'
import { authorizationServerFinding } from '../../../src/doctor/http/authorization-server.ts'
import { json, serve } from '../support/remote.ts'
import { siteAt } from '../support/site.ts'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

interface Server {
  /** @default /mcp */
  readonly path?: string
  readonly challenge?: string
  /** The documents, keyed by path. `~` represents the origin. */
  readonly documents?: Readonly<Record<string, object>>
  readonly status?: number
}

/** Returns the findings for a server that refuses `initialize`, with `~` in place of its origin. */
async function findings({ path = '/mcp', challenge, documents = {}, status = 401 }: Server) {
  const origin: string = await serve((request, response) => {
    const document = documents[request.url ?? '']
    const text = JSON.stringify(document ?? {}).replaceAll('~', origin)
    if (document !== undefined) json(response, 200, JSON.parse(text))
    else if (request.url !== path) json(response, 404, {})
    else
      json(
        response,
        status,
        {},
        challenge === undefined ? {} : { 'www-authenticate': challenge.replaceAll('~', origin) },
      )
  })
  const found = await checkAuthorization(siteAt(`${origin}${path}`))
  return JSON.parse(JSON.stringify(found).replaceAll(origin, '~')) as typeof found
}

const at = (metadata: object, path = '/mcp'): Readonly<Record<string, object>> => ({
  [`${WELL_KNOWN}${path}`]: metadata,
})

describe('the authorization challenge', () => {
  it.each([
    ['Bearer resource_metadata="~/m"', '~/m'],
    ['Bearer realm="x", RESOURCE_METADATA = "/m"', '~/m'],
    ['Bearer resource_metadata=~/m, scope="a"', '~/m'],
    [`Bearer resource_metadata="/${'m'.repeat(2_047)}"`, `~/${'m'.repeat(2_047)}`],
  ])('is accepted if it names the metadata: %s', async (challenge, named) => {
    const [first, second] = await findings({ challenge, documents: at({ resource: '~/mcp' }) })
    expect(first).toEqual({ check: 'authorization', verdict: 'ok', evidence: `401 names ${named}` })
    expect(second?.evidence).toContain(`${named}, which the challenge names, was answered with 404`)
  })

  it.each([
    ['Bearer', at({ resource: '~/mcp' }), 'warning'],
    ['Bearer', {}, 'fault'],
    ['Bearer my_resource_metadata_url="/m"', {}, 'fault'],
    [`Bearer resource_metadata="/${'m'.repeat(2_048)}"`, {}, 'fault'],
    ['Bearer resource_metadata="https://"', {}, 'fault'],
  ])('is reported if it does not name the metadata: %s', async (challenge, documents, verdict) => {
    expect((await findings({ challenge, documents }))[0]).toMatchObject({
      check: 'authorization',
      verdict,
      evidence: '401 whose WWW-Authenticate has no resource_metadata',
    })
  })

  it('is not checked for a server that does not require a token for initialize', async () => {
    expect(await findings({ status: 200 })).toEqual([
      {
        check: 'authorization',
        verdict: 'skipped',
        evidence: 'without the token, initialize is answered with 200',
      },
    ])
  })
})

describe('resource metadata', () => {
  const NAMED = 'Bearer resource_metadata="~/m"'
  const ELSEWHERE = 'Bearer resource_metadata="http://127.0.0.1:1/m"'
  const usual = `~${WELL_KNOWN}/mcp`

  it.each<readonly [string, Server, object]>([
    [
      'named in the challenge and at the usual path',
      { challenge: NAMED, documents: { '/m': {}, ...at({}) } },
      { verdict: 'ok', evidence: usual },
    ],
    [
      'only named in the challenge',
      { challenge: NAMED, documents: { '/m': {} } },
      {
        verdict: 'warning',
        evidence: `${usual} was answered with 404`,
        advice: `Serve the metadata at ${WELL_KNOWN}/mcp`,
      },
    ],
    ['only at the usual path', { documents: at({}) }, { verdict: 'ok', evidence: usual }],
    [
      "at the root's usual path",
      { path: '/', documents: at({}, '') },
      { verdict: 'ok', evidence: `~${WELL_KNOWN}` },
    ],
    [
      'missing',
      {},
      {
        verdict: 'fault',
        evidence: `${usual} was answered with 404`,
        advice: `Serve the metadata at ${WELL_KNOWN}/mcp`,
      },
    ],
    [
      'at another origin',
      { challenge: ELSEWHERE, documents: at({}) },
      {
        verdict: 'fault',
        evidence: 'http://127.0.0.1:1/m, which the challenge names, has another origin than the server',
        advice: 'Serve the metadata at this URL',
      },
    ],
  ])("is expected at the usual path on the server's own origin: %s", async (_, server, expected) => {
    expect((await findings(server))[1]).toEqual({ check: 'resource-metadata', ...expected })
  })

  it('is read from the URL in the challenge, even if other metadata exists at the usual path', async () => {
    const documents = { '/m': { resource: 'https://named' }, ...at({ resource: 'https://usual' }) }
    const found = await findings({ challenge: NAMED, documents })
    expect(found[2]?.evidence).toContain('https://named')
  })

  it('must exist before the later checks can run', async () => {
    expect((await findings({})).map(({ check }) => check)).toEqual(['authorization', 'resource-metadata'])
  })

  it.each<readonly [resource: unknown, path: string, object]>([
    ['~/mcp', '/mcp', { verdict: 'ok', evidence: '~/mcp' }],
    ['~', '/mcp', { verdict: 'warning', evidence: 'the resource of the metadata is ~, the URL is ~/mcp' }],
    ['~/a', '/a/mcp', { verdict: 'warning' }],
    ['~/a/', '/a/mcp', { verdict: 'warning' }],
    ['~/mcp/', '/mcp', { verdict: 'warning' }],
    ['~/m', '/mcp', { verdict: 'fault' }],
    ['~/mcp/a', '/mcp', { verdict: 'fault' }],
    [
      'https://h/mcp',
      '/mcp',
      { verdict: 'fault', advice: 'Set the resource of the metadata to ~/mcp (Jetway: publicUrl)' },
    ],
    ['mcp', '/mcp', { verdict: 'fault', evidence: 'the resource of the metadata is mcp, the URL is ~/mcp' }],
    [1, '/mcp', { verdict: 'fault', evidence: 'the metadata has no resource' }],
  ])(
    "must name the server's URL as its resource: resource %s, server at %s",
    async (resource, path, expected) => {
      const found = await findings({ path, documents: at({ resource }, path) })
      expect(found[2]).toMatchObject({ check: 'audience', ...expected })
    },
  )

  it.each<readonly [issuers: unknown, count: number, evidence: string]>([
    [undefined, 1, 'the metadata lists no authorization_servers'],
    ['http://10.0.0.1', 1, 'the metadata lists no authorization_servers'],
    [[1, null], 1, 'the metadata lists no authorization_servers'],
    [[1, 'a'], 1, 'a is no https URL'],
    [['a', 'b', 'c', 'd'], 3, 'a is no https URL'],
  ])('must list valid issuers: %j', async (issuers, count, evidence) => {
    const found = await findings({ documents: at({ resource: '~/mcp', authorization_servers: issuers }) })
    const ofIssuers = found.filter(({ check }) => check === 'authorization-server')
    expect(ofIssuers).toHaveLength(count)
    expect(ofIssuers[0]).toMatchObject({ verdict: 'fault', evidence })
  })
})

describe('authorizationServerFinding', () => {
  it.each([
    ['http://127.0.0.1/mcp', 'no URL'],
    ['http://127.0.0.1/mcp', 'http://issuer.example'],
    ['http://127.0.0.1/mcp', 'ftp://127.0.0.1'],
    ['https://h.example/mcp', 'http://issuer.example'],
    ['https://h.example/mcp', 'https://127.0.0.1:1'],
    ['https://h.example/mcp', 'http://localhost:1'],
  ])('for the server %s, does not follow the issuer %s', async (url, issuer) => {
    expect(await authorizationServerFinding(siteAt(url), issuer)).toEqual({
      check: 'authorization-server',
      verdict: 'fault',
      evidence: `${issuer} is no https URL`,
      advice: expect.stringContaining('https'),
    })
  })

  it('follows an https issuer on this machine', async () => {
    const { evidence } = await authorizationServerFinding(
      siteAt('http://127.0.0.1/mcp'),
      'https://127.0.0.1:1',
    )
    expect(evidence).toBe(
      'https://127.0.0.1:1 has no metadata: /.well-known/oauth-authorization-server gave no reply: ECONNREFUSED, /.well-known/openid-configuration gave no reply: ECONNREFUSED',
    )
  })

  it.each<readonly [path: string, found: string]>([
    ['', '/.well-known/oauth-authorization-server'],
    ['', '/.well-known/openid-configuration'],
    ['/a', '/.well-known/oauth-authorization-server/a'],
    ['/a', '/.well-known/openid-configuration/a'],
    ['/a', '/a/.well-known/openid-configuration'],
    ['/a/', '/a/.well-known/openid-configuration'],
  ])('finds the metadata of an issuer with path %j at %s', async (path, found) => {
    const origin: string = await serve((request, response) =>
      request.url === found
        ? json(response, 200, { issuer: origin + path, code_challenge_methods_supported: ['plain', 'S256'] })
        : json(response, 404, {}),
    )
    expect(await authorizationServerFinding(siteAt(origin), origin + path)).toEqual({
      check: 'authorization-server',
      verdict: 'ok',
      evidence: `${origin}${path} has PKCE`,
    })
  })

  it('tries two URLs for an issuer without a path', async () => {
    const asked: unknown[] = []
    const origin = await serve((request, response) => {
      asked.push(request.url)
      json(response, 404, {})
    })
    await authorizationServerFinding(siteAt(origin), origin)
    expect(asked).toEqual(['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'])
  })

  it.each([
    [{ code_challenge_methods_supported: 'S256' }, 'has no S256'],
    [{}, 'has no S256'],
    [{ issuer: undefined }, 'calls itself null'],
    [{ issuer: `https://${'x'.repeat(200)}` }, `calls itself "https://${'x'.repeat(191)}…`],
  ])('reports a fault for the metadata %j', async (metadata, evidence) => {
    const origin: string = await serve((_, response) => json(response, 200, { issuer: origin, ...metadata }))
    expect(await authorizationServerFinding(siteAt(origin), origin)).toMatchObject({
      verdict: 'fault',
      evidence: expect.stringContaining(evidence),
    })
  })
})
