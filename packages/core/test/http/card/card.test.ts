import { silent } from '@jetway-apps/test-support'
import { describe, expect, it, vi } from 'vitest'
import { toFetch as edgeFetch } from '../../../src/edge.ts'
import { type Authenticate, createEndpoint, toFetch, type WellKnown } from '../../../src/http/index.ts'
import { type ServerCardOptions, serverCard } from '../../../src/http/card/card.ts'
import { McpServer } from '../../../src/index.ts'
import { REVISIONS } from '../../../src/protocol/revisions/index.ts'

const ORIGIN = 'https://shop.example'
const CARD = '/mcp/server-card'
const CATALOG = '/.well-known/ai-catalog.json'
const OPTIONS: ServerCardOptions = { name: 'example.shop/orders', description: 'Orders and refunds' }
const INFO = { name: 'shop', version: '1.2.3' }
type Info = ConstructorParameters<typeof McpServer>[0]
type Mount = Parameters<typeof toFetch>[1]

/** Mounts a server with a card. The returned function requests one path. */
function mounted(
  options: ServerCardOptions = OPTIONS,
  mount: Mount = {},
  info: Info = INFO,
): (path: string, init?: RequestInit) => Promise<Response> {
  const fetch = toFetch(new McpServer(info), {
    publicUrl: `${ORIGIN}/mcp`,
    logger: silent,
    card: serverCard(options),
    ...mount,
  })
  return (path, init) => fetch(new Request(ORIGIN + path, init))
}

const json = async (response: Promise<Response>): Promise<unknown> => (await response).json()

describe('the card', () => {
  it('has the metadata of the server and the address and revisions of the mount, and no tools', async () => {
    const info = {
      ...INFO,
      title: 'Shop',
      websiteUrl: `${ORIGIN}/about`,
      icons: [{ src: `${ORIGIN}/icon.png`, mimeType: 'image/png', sizes: ['48x48'] }],
    }
    const repository = { url: 'https://github.com/shop/orders', source: 'github', subfolder: 'server' }
    const request = mounted({ ...OPTIONS, repository }, {}, info)
    expect(await json(request(CARD))).toEqual({
      $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
      name: 'example.shop/orders',
      version: '1.2.3',
      description: 'Orders and refunds',
      title: 'Shop',
      websiteUrl: `${ORIGIN}/about`,
      icons: info.icons,
      repository,
      remotes: [
        {
          type: 'streamable-http',
          url: `${ORIGIN}/mcp`,
          supportedProtocolVersions: REVISIONS.map(({ version }) => version),
        },
      ],
    })
  })

  it('uses the name and the description of the server if it has no others', async () => {
    const info = { ...INFO, name: 'example.shop/orders', description: 'Orders' }
    expect(await json(mounted({}, {}, info)(CARD))).toMatchObject({
      name: 'example.shop/orders',
      description: 'Orders',
    })
  })

  it('lists the revisions of the mount only', async () => {
    const [newest] = REVISIONS
    const version = newest?.version ?? '2026-07-28'
    expect(await json(mounted(OPTIONS, { revisions: [version] })(CARD))).toMatchObject({
      remotes: [{ supportedProtocolVersions: [version] }],
    })
  })

  it.each<[string, string, string | undefined, readonly string[]]>([
    ['the path of publicUrl', `${ORIGIN}/tools/mcp`, '/mcp', ['/tools/mcp/server-card', CARD]],
    ['the path of the mount if publicUrl has none', ORIGIN, '/ai', ['/ai/server-card']],
    ['a path with a slash at its end', `${ORIGIN}/mcp/`, undefined, [CARD, '/server-card']],
    ['no path', ORIGIN, undefined, ['/server-card']],
  ])('is served below %s', async (_, publicUrl, path, served) => {
    const request = mounted(OPTIONS, { publicUrl, ...(path !== undefined && { path }) })
    const [first = ''] = served
    const url = ORIGIN + first.replace(/\/server-card$/, '')
    for (const each of served) expect(await json(request(each))).toMatchObject({ remotes: [{ url }] })
    expect((await request(`/elsewhere${first}`)).status).not.toBe(200)
    expect(await json(request(CATALOG))).toMatchObject({ entries: [{ url: `${url}/server-card` }] })
  })

  it('is built once for a mount, and does not depend on the request', async () => {
    const card = vi.fn(serverCard(OPTIONS))
    const request = mounted(OPTIONS, { card })
    const first = await (await request(CARD)).text()
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' }
    expect(await (await request(CARD, { headers })).text()).toBe(first)
    expect(card).toHaveBeenCalledOnce()
  })

  it('is served by the edge preset', async () => {
    const card = serverCard(OPTIONS)
    const fetch = edgeFetch(new McpServer(INFO), { publicUrl: `${ORIGIN}/mcp`, card })
    expect(await json(fetch(new Request(ORIGIN + CARD)))).toMatchObject({ name: 'example.shop/orders' })
  })
})

describe('the AI Catalog', () => {
  it('has one entry, whose identifier begins with the domain of the publisher', async () => {
    const response = await mounted({ ...OPTIONS, name: 'io.github.ann/shop' })(CATALOG)
    expect(response.headers.get('content-type')).toBe('application/ai-catalog+json')
    expect(await response.json()).toEqual({
      specVersion: '0.9',
      entries: [
        {
          identifier: 'urn:air:ann.github.io:shop',
          type: 'application/mcp-server-card+json',
          url: `${ORIGIN}${CARD}`,
        },
      ],
    })
  })
})

describe('legacy', () => {
  const paths = ['/.well-known/mcp/server-card.json', '/.well-known/mcp/catalog.json'] as const

  it('serves the card and a catalog at their earlier paths', async () => {
    const request = mounted({ ...OPTIONS, legacy: true })
    expect(await json(request(paths[0]))).toEqual(await json(request(CARD)))
    expect(await json(request(paths[1]))).toEqual({
      ...((await json(request(CATALOG))) as object),
      specVersion: 'draft',
    })
  })

  it('is off by default', async () => {
    const request = mounted(OPTIONS, { path: '/mcp' })
    for (const path of paths) expect((await request(path)).status).toBe(404)
  })
})

describe('the replies', () => {
  const CORS = {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET',
    'access-control-allow-headers': 'Content-Type, If-None-Match',
    'access-control-expose-headers': 'ETag',
  }
  const request = mounted()
  const tagOf = async (path: string, get = request): Promise<string> =>
    (await get(path)).headers.get('etag') ?? ''

  it.each([CARD, CATALOG])('to GET and HEAD of %s may be cached for an hour by all clients', async (path) => {
    const got = await request(path)
    const head = await request(path, { method: 'HEAD' })
    for (const { status, headers } of [got, head])
      expect([status, Object.fromEntries(headers)]).toEqual([
        200,
        {
          ...CORS,
          'cache-control': 'public, max-age=3600',
          'content-type': expect.stringMatching(/^application\/(mcp-server-card|ai-catalog)\+json$/),
          etag: got.headers.get('etag'),
        },
      ])
    expect(await head.text()).toBe('')
  })

  it('have a tag that changes with the document', async () => {
    expect(await tagOf(CARD)).toMatch(/^"[\w-]+"$/)
    expect(await tagOf(CARD, mounted())).toBe(await tagOf(CARD))
    const other = mounted(OPTIONS, {}, { ...INFO, version: '1.2.4' })
    expect(await tagOf(CARD, other)).not.toBe(await tagOf(CARD))
  })

  it.each<[string, (tag: string) => string, number]>([
    ['the tag', (tag) => tag, 304],
    ['the weak tag in a list', (tag) => `"old", W/${tag}`, 304],
    ['any tag', () => '*', 304],
    ['another tag', () => '"old"', 200],
  ])('to a client that has %s', async (_, header, status) => {
    const response = await request(CARD, { headers: { 'if-none-match': header(await tagOf(CARD)) } })
    expect([response.status, (await response.text()) === '']).toEqual([status, status === 304])
    expect(response.headers.get('etag')).toBe(await tagOf(CARD))
  })

  it('to OPTIONS allow browsers of every origin, and other methods get 405', async () => {
    const preflight = await request(CARD, { method: 'OPTIONS', headers: { origin: 'https://ide.example' } })
    expect([preflight.status, Object.fromEntries(preflight.headers)]).toEqual([
      204,
      { ...CORS, allow: 'GET, HEAD, OPTIONS' },
    ])
    const posted = await request(CARD, { method: 'POST', body: '{}' })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })
})

describe('the documents of a mount', () => {
  const DOCUMENT = { status: 200, headers: {}, body: 'metadata' }
  const authenticateWith = (wellKnown: WellKnown): Authenticate =>
    Object.assign(() => undefined, { wellKnown })

  it('are those of authenticate and of card, without authentication', async () => {
    const wellKnown = { paths: [], elsewhere: false, answer: () => undefined }
    const request = mounted(OPTIONS, { authenticate: authenticateWith(wellKnown) })
    expect((await request('/mcp', { method: 'POST', body: '{}' })).status).not.toBe(200)
    expect((await request(CARD)).status).toBe(200)
  })

  it('are served from authenticate first', async () => {
    const wellKnown = { paths: [CATALOG], elsewhere: false, answer: () => DOCUMENT }
    const request = mounted(OPTIONS, { authenticate: authenticateWith(wellKnown) })
    expect(await (await request(CATALOG)).text()).toBe('metadata')
  })

  it('are elsewhere when all of them are', () => {
    const wellKnown = { paths: ['/a'], elsewhere: false, answer: () => undefined }
    const server = new McpServer(INFO)
    const publicUrl = `${ORIGIN}/mcp`
    const authenticate = authenticateWith(wellKnown)
    const joined = createEndpoint(server, { publicUrl, authenticate, card: serverCard(OPTIONS) }).wellKnown
    expect(joined?.paths).toEqual(['/a', CARD, '/server-card', CATALOG])
    expect(joined?.elsewhere).toBe(false)
    wellKnown.elsewhere = true
    expect(joined?.elsewhere).toBe(true)
    expect(createEndpoint(server, { publicUrl, card: serverCard(OPTIONS) }).wellKnown?.elsewhere).toBe(true)
    expect(createEndpoint(server).wellKnown).toBeUndefined()
  })
})

describe('a mount refuses', () => {
  const long = 'x'.repeat(101)
  it.each<[string, ServerCardOptions, Mount, Info, RegExp]>([
    ['a card without publicUrl', OPTIONS, { publicUrl: undefined as never }, INFO, /card needs publicUrl/],
    ['a publicUrl that is no URL', OPTIONS, { publicUrl: 'shop.example' }, INFO, /publicUrl must be/],
    ['a name without a domain', {}, {}, { ...INFO, description: 'x' }, /card\.name must have the form/],
    ['a name of two slashes', { ...OPTIONS, name: 'a/b/c' }, {}, INFO, /card\.name/],
    ['a name of 201 characters', { ...OPTIONS, name: `a/${'b'.repeat(199)}` }, {}, INFO, /card\.name/],
    ['no description', { name: 'a/b' }, {}, INFO, /card\.description must have 1 to 100/],
    ['a description of 101 characters', { ...OPTIONS, description: long }, {}, INFO, /card\.description/],
    ['a title of 101 characters', OPTIONS, {}, { ...INFO, title: long }, /card needs a server title/],
    ['a version of 256 characters', OPTIONS, {}, { ...INFO, version: '1'.repeat(256) }, /server version/],
    ['a version range', OPTIONS, {}, { ...INFO, version: '^1.2.3' }, /server version, not a range/],
    ['a version with a wildcard', OPTIONS, {}, { ...INFO, version: '1.x' }, /server version, not a range/],
    [
      'a repository without an absolute URL',
      { ...OPTIONS, repository: { url: 'shop/orders', source: 'github' } },
      {},
      INFO,
      /card\.repository must have a url and a source/,
    ],
    [
      'a card of more than 16 KiB',
      OPTIONS,
      {},
      { ...INFO, icons: [{ src: `data:image/png;base64,${'A'.repeat(16_384)}` }] },
      /card would have \d+ bytes, more than 16 KiB/,
    ],
    ['the options of a card', OPTIONS, { card: OPTIONS as never }, INFO, /card must be serverCard/],
  ])('%s', (_, options, mount, info, message) => {
    const create = (): unknown => mounted(options, mount, info)
    expect(create).toThrow(message)
    expect(create).toThrow(/ERR_MCP_OPTION/)
  })

  it('a card with a function that chooses the server', () => {
    const mount = { publicUrl: ORIGIN, card: serverCard(OPTIONS) }
    expect(() => toFetch(() => new McpServer(INFO), mount)).toThrow(
      /card describes one server.*ERR_MCP_OPTION/,
    )
  })
})

describe('serverCard', () => {
  it('refuses an unknown option, and names the nearest one', () => {
    const options = { ...OPTIONS, repository: { url: ORIGIN, source: 'github', folder: 'x' } as never }
    expect(() => serverCard({ ...OPTIONS, descripton: 'x' } as never)).toThrow(
      /descripton is unknown. Did you mean description.*ERR_MCP_OPTION/,
    )
    expect(() => serverCard(options)).toThrow(/repository\.folder is unknown/)
  })
})
