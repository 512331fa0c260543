import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import {
  authorizationCode,
  type AuthorizationError,
  clientCredentials,
  oauth,
  type OAuthOptions,
  type ResolvedAddress,
} from '@jetway/client/oauth'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { scripted } from './support/scripted.ts'

/** Counts connections. Each connection is a successful attack, even if the TLS handshake fails. */
let canary: Server
let hits = 0
let port = 0
const sockets = new Set<Socket>()
beforeAll(async () => {
  canary = createServer((socket) => {
    hits += 1
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
  }).listen(0, '127.0.0.1')
  await once(canary, 'listening')
  ;({ port } = canary.address() as AddressInfo)
})
beforeEach(() => {
  hits = 0
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  canary.close()
  await once(canary, 'close')
})

const SERVER = 'https://mcp.public.example/mcp'
const PORT = ':PORT'

/** The host names that the attacker's DNS server resolves. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'loopback.evil.example': ['127.0.0.1'],
  'mapped.evil.example': ['::ffff:127.0.0.1'],
  'six.evil.example': ['::1'],
  'private.evil.example': ['10.1.2.3'],
  'cloud.evil.example': ['169.254.169.254'],
  'both.evil.example': ['127.0.0.1', '93.184.215.14'],
  'zero.evil.example': ['0.0.0.0'],
  'none.evil.example': [],
  'nonsense.evil.example': ['not an address'],
}
const resolve = async (host: string): Promise<ResolvedAddress[]> =>
  (NAMES[host.replace(/\.$/, '')] ?? ['127.0.0.1']).map((address) => ({
    address,
    family: address.includes(':') ? 6 : 4,
  }))

const HOSTS = [
  // IPv4 addresses: unchanged, in other bases, shortened, and padded.
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '2130706433',
  '0x7f000001',
  '0x7F.0.0.1',
  '0x7f.0x0.0x0.0x1',
  '017700000001',
  '0177.0.0.1',
  '0177.0.0.01',
  '127.0.0.0x1',
  '%31%32%37.0.0.1',
  '127%2E0%2E0%2E1',
  '127。0。0。1',
  '１２７.0.0.1',
  '①②⑦.⓪.⓪.①',
  '0.0.0.0',
  '0',
  '0x0',
  // Addresses in other networks that are not public.
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '100.64.0.1',
  '100.100.100.200',
  '192.0.0.192',
  '198.18.0.1',
  '203.0.113.7',
  '224.0.0.1',
  '255.255.255.255',
  // IPv6 addresses, including embedded IPv4 addresses.
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000::0001]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
  '[::127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[fe80::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[2001:db8::1]',
  '[5f00::1]',
  '[100::1]',
  // Names that mean loopback, and names that a resolver maps to loopback.
  'localhost',
  'LOCALHOST',
  'localhost.',
  'ｌocalhost',
  'a.localhost',
  'a.b.localhost.',
  ...Object.keys(NAMES),
  'loopback.evil.example.',
]

const FORMS = [
  ...HOSTS.map((host) => `https://${host}${PORT}/x`),
  ...['127.0.0.1', 'localhost', 'loopback.evil.example', '[::1]', 'public.example'].map(
    (host) => `http://${host}${PORT}/x`,
  ),
  `https://public.example@127.0.0.1${PORT}/x`,
  `https://user:word@loopback.evil.example${PORT}/x`,
  `https://public.example\\@127.0.0.1${PORT}/x`,
  `https:127.0.0.1${PORT}/x`,
  `https:\\\\127.0.0.1${PORT}\\x`,
  ` https://127.0.0.1${PORT}/x`,
  `HTTPS://127.0.0.1${PORT}/x`,
  `//127.0.0.1${PORT}/x`,
  `ftp://127.0.0.1${PORT}/x`,
  `ws://127.0.0.1${PORT}/x`,
  `gopher://127.0.0.1${PORT}/_x`,
  `blob:http://127.0.0.1${PORT}/x`,
  `view-source:http://127.0.0.1${PORT}/x`,
  'file:///etc/passwd',
  'data:application/json,{}',
  'javascript:fetch(1)',
  'https://',
  '',
]

const at = (form: string): string => form.replaceAll('PORT', String(port))

/** Returns the provider's error after a 401 reply from the server. */
const challenged = (
  options: OAuthOptions,
  resource: string,
  metadata: string,
): Promise<AuthorizationError> => {
  const headers = new Headers()
  try {
    headers.set('www-authenticate', `Bearer resource_metadata="${metadata.replaceAll('\\', '\\\\')}"`)
  } catch {
    // A header cannot contain all characters, so the URL is percent-encoded.
    headers.set('www-authenticate', `Bearer resource_metadata="${encodeURI(metadata)}"`)
  }
  const answer = { resource, url: resource, method: 'POST', sent: {}, status: 401, headers }
  const done = oauth(options).onChallenge?.(answer) ?? Promise.reject(new Error('no challenge'))
  return done.then(
    (decision) => expect.fail(`went on: ${decision}`),
    (error: unknown) => error as AuthorizationError,
  )
}
const grant = clientCredentials()
const clients = [{ clientId: 'c', clientSecret: 'the-secret-of-c' }]

/** https://modelcontextprotocol.io/docs/tutorials/security/security_best_practices */
describe('a private address in a challenge from a public server', () => {
  it('is tested in more than 80 different notations', () => {
    expect(new Set(FORMS).size).toBeGreaterThan(80)
  })

  it.each(FORMS)('is not contacted: %j', async (form) => {
    const error = await challenged({ grant, clients, resolve, timeoutMs: 1_000 }, SERVER, at(form))
    expect([error.reason, hits]).toEqual([form.includes('none.evil') ? 'network' : 'address', 0])
  })
})

describe('a local address', () => {
  it('is contacted if the server is on loopback, or if `allowHosts` contains its host', async () => {
    await challenged(
      { grant, clients, resolve },
      `http://127.0.0.1:${port}/mcp`,
      `http://127.0.0.1:${port}/x`,
    )
    expect(hits).toBe(1)
    const options = { grant, clients, resolve, allowHosts: ['loopback.evil.example', '127.0.0.1'] }
    for (const host of options.allowHosts)
      expect((await challenged(options, SERVER, `https://${host}:${port}/x`)).reason).toBe('network')
    expect(hits).toBe(3)
  })

  it('is contacted only over https, and only if `allowHosts` contains its exact host', async () => {
    const allowHosts = ['loopback.evil.example']
    for (const address of [
      `http://loopback.evil.example:${port}/x`,
      `https://a.loopback.evil.example:${port}/x`,
    ])
      expect((await challenged({ grant, clients, resolve, allowHosts }, SERVER, address)).reason).toBe(
        'address',
      )
    expect(hits).toBe(0)
  })

  it('is not contacted if it is in a private network, even if the server is on loopback', async () => {
    const error = await challenged(
      { grant, clients, resolve },
      `http://localhost:${port}/mcp`,
      `https://10.0.0.1:${port}/x`,
    )
    expect(error.reason).toBe('address')
  })
})

/** Returns a `fetch` that replies with these values, keyed by URL, and sends all other requests. */
function saying(answers: Record<string, unknown>): NonNullable<OAuthOptions['fetch']> {
  return async (url, init) => {
    const answer = answers[url.href]
    if (answer instanceof Response) return answer
    return answer === undefined ? fetch(url, init) : Response.json(answer)
  }
}
const ISSUER = 'https://as.public.example'
const METADATA = 'https://mcp.public.example/.well-known/oauth-protected-resource/mcp'
const OF_ISSUER = `${ISSUER}/.well-known/oauth-authorization-server`
const RESOURCE = { resource: SERVER, authorization_servers: [ISSUER] }
const ENDPOINTS = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  registration_endpoint: `${ISSUER}/register`,
  code_challenge_methods_supported: ['S256'],
}
const TARGETS = [
  'https://127.0.0.1:PORT/x',
  'http://127.0.0.1:PORT/x',
  'https://2130706433:PORT/x',
  'https://[::ffff:7f00:1]:PORT/x',
  'https://localhost:PORT/x',
  'https://u@localhost.:PORT/x',
]

describe("a private address in a public server's metadata", () => {
  const user = (shown: URL[]): OAuthOptions => ({
    grant: authorizationCode({
      redirectUri: 'http://127.0.0.1:3999/cb',
      authorize: async (url) => {
        shown.push(url)
        return `http://127.0.0.1:3999/cb?code=c&state=${url.searchParams.get('state')}`
      },
    }),
    registration: { clientName: 'Test client' },
  })

  it.each(TARGETS)('is never contacted, and never shown to the user: %s', async (target) => {
    const shown: URL[] = []
    const address = at(target)
    const documents: Record<string, unknown>[] = [
      { [METADATA]: { ...RESOURCE, authorization_servers: [address] } },
      ...['authorization_endpoint', 'token_endpoint', 'registration_endpoint'].map((name) => ({
        [METADATA]: RESOURCE,
        [OF_ISSUER]: { ...ENDPOINTS, [name]: address },
        [`${ISSUER}/register`]: { client_id: 'c', token_endpoint_auth_method: 'none' },
      })),
    ]
    for (const document of documents) {
      const error = await challenged({ ...user(shown), fetch: saying(document) }, SERVER, METADATA)
      expect(error.reason).toBe('address')
    }
    expect([hits, shown.map(({ host }) => host)]).toEqual([0, ['as.public.example']])
  })

  it('is not contacted as a token endpoint for client credentials', async () => {
    const fetches = saying({
      [METADATA]: RESOURCE,
      [OF_ISSUER]: { ...ENDPOINTS, token_endpoint: `http://127.0.0.1:${port}/token` },
    })
    await challenged({ grant, clients, fetch: fetches }, SERVER, METADATA)
    expect(hits).toBe(0)
  })
})

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])(
    'is not followed, even to an allowed address: status %i',
    async (status) => {
      const server = await scripted()
      const location = `http://127.0.0.1:${port}/x`
      for (const path of ['/metadata', '/.well-known/oauth-authorization-server', '/token'])
        for (const method of ['GET', 'POST'])
          server.routes.set(`${method} ${path}`, () => ({ status, headers: { location } }))
      const resource = `${server.origin}/mcp`
      expect((await challenged({ grant, clients }, resource, `${server.origin}/metadata`)).reason).toBe(
        'discovery',
      )
      server.routes.set('GET /metadata', () => ({
        json: { resource, authorization_servers: [server.origin] },
      }))
      expect((await challenged({ grant, clients }, resource, `${server.origin}/metadata`)).reason).toBe(
        'discovery',
      )
      server.routes.set('GET /.well-known/oauth-authorization-server', () => ({
        json: { issuer: server.origin, token_endpoint: `${server.origin}/token` },
      }))
      expect((await challenged({ grant, clients }, resource, `${server.origin}/metadata`)).reason).toBe(
        'token',
      )
      expect([hits, server.to('POST /token').length]).toEqual([0, 1])
    },
  )
})

describe('a host name', () => {
  it('is resolved only once, which prevents DNS rebinding', async () => {
    const server = await scripted()
    const asked: string[] = []
    const rebinding = async (host: string): Promise<ResolvedAddress[]> => {
      asked.push(host)
      return [{ address: asked.length === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }]
    }
    const local = server.origin.replace('127.0.0.1', 'localhost')
    await challenged({ grant, clients, resolve: rebinding }, `${local}/mcp`, `${local}/metadata`)
    expect([asked, server.to('GET /metadata').length]).toEqual([['localhost'], 1])
  })
})

describe('a response from an authorization server', () => {
  it('fails the request if it exceeds `maxBytes`', async () => {
    const server = await scripted()
    server.routes.set('GET /metadata', () => ({ text: 'x'.repeat(300_000) }))
    const resource = `${server.origin}/mcp`
    const error = await challenged({ grant, clients }, resource, `${server.origin}/metadata`)
    expect([error.reason, error.message]).toEqual([
      'network',
      `${server.origin} answered with more than 262144 bytes`,
    ])
    const more = await challenged(
      { grant, clients, maxBytes: 300_000 },
      resource,
      `${server.origin}/metadata`,
    )
    expect(more.reason).toBe('discovery')
  })

  it('must arrive before the timeout', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const origin = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const held: Socket[] = []
    silent.on('connection', (socket) => held.push(socket))
    const error = await challenged({ grant, clients, timeoutMs: 50 }, `${origin}/mcp`, `${origin}/metadata`)
    expect([error.reason, error.message]).toEqual(['network', `${origin} did not answer within 50 ms`])
    for (const socket of held) socket.destroy()
    silent.close()
    await once(silent, 'close')
  })
})
