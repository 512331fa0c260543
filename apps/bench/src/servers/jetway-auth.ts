import { generateKeyPairSync, sign } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { oauth } from '@jetway/auth'
import { mcp } from '@jetway/fastify'
import Fastify from 'fastify'
import { ready } from '../serving/control.ts'
import { createServer } from '../serving/jetway.ts'

const { values } = parseArgs({ options: { cold: { type: 'boolean', default: false } } })
const ISSUER = 'http://127.0.0.1:9'
const RESOURCE = 'https://api.example.com/mcp'
const YEAR_S = 31_536_000

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const documents: Readonly<Record<string, object>> = {
  '/.well-known/oauth-authorization-server': { issuer: ISSUER, jwks_uri: `${ISSUER}/keys` },
  '/keys': { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'bench', alg: 'ES256', use: 'sig' }] },
}

/** Creates an access token of typical size. */
function createToken(): string {
  const now = Math.floor(Date.now() / 1000)
  const header = { alg: 'ES256', kid: 'bench', typ: 'at+jwt' }
  const claims = {
    iss: ISSUER,
    aud: RESOURCE,
    sub: '5be86359-073c-434b-ad2d-a3932222dabe',
    client_id: 'https://client.example.com/oauth/metadata.json',
    scope: 'mcp files:read offline_access',
    jti: '8d1f1f5c-9c5e-4b2a-9a10-5d6d3f5e7a11',
    iat: now,
    exp: now + YEAR_S,
  }
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')
  const signed = `${encode(header)}.${encode(claims)}`
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return `${signed}.${signature.toString('base64url')}`
}

const server = createServer()
const app = Fastify()
const authenticate = oauth({
  issuer: ISSUER,
  scopes: ['mcp'],
  fetch: async (url) => Response.json(documents[new URL(url).pathname]),
  ...(values.cold && { cache: false }),
})
await app.register(mcp, { server, path: '/mcp', publicUrl: RESOURCE, allowedHosts: ['*'], authenticate })
await app.listen({ port: 0, host: '127.0.0.1' })
const { port } = app.server.address() as AddressInfo
ready(port, () => server.notify.toolsChanged(), { authorization: `Bearer ${createToken()}` })
