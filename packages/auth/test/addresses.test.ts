import { FakeClock, silent } from '@jetway-apps/test-support'
import type { Authenticate, HttpRequest, ProtectedMount, Rejection } from '@jetway/core/http'
import { describe, expect, it } from 'vitest'
import { oauth } from '../src/index.ts'
import { ISSUER, protect, requestWith } from './support/protect.ts'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'
const LOCAL = 'http://localhost:9'
/** A mount that derives its address from requests. */
const DEVELOPMENT = { publicUrl: undefined } as const

const at = (host: string | undefined, path: string | undefined, authorization?: string): HttpRequest =>
  requestWith('', {
    ...(path !== undefined && { path }),
    header: (name) => (name === 'host' ? host : name === 'authorization' ? authorization : undefined),
  })

/** Fetches the metadata from the URL in the challenge, and returns its `resource`. */
function resourceOf(authenticate: Authenticate, request: HttpRequest): unknown {
  const found = authenticate(request) as Rejection
  const url = /resource_metadata="([^"]+)"/.exec(found.headers['www-authenticate'] ?? '')?.[1]
  if (url === undefined) return found.headers['www-authenticate']
  const path = new URL(url).pathname
  const answer = authenticate.wellKnown?.answer({ ...request, method: 'GET', path, peer: undefined })
  return answer === undefined ? url : (JSON.parse(String(answer.body)) as { resource: string }).resource
}

describe('the resource address without publicUrl', () => {
  it.each<[string | undefined, boolean, string, string]>([
    ['/mcp', false, '/mcp', '/mcp'],
    ['/mcp', false, '/mcp/', '/mcp'],
    ['/mcp', false, '/api/mcp', '/api/mcp'],
    ['/mcp', false, '/other', '/other'],
    ['/mcp', true, '/api/mcp', '/api/mcp'],
    ['/mcp', true, '/', '/mcp'],
    ['/', false, '/', ''],
    [undefined, false, '/any/where', '/any/where'],
    [undefined, true, '/any/where', '/any/where'],
    [undefined, true, '/any/sse', '/any'],
  ])('path %s, legacySse %s, requested path %s → %s', async (path, legacySse, asked, resource) => {
    const { authenticate } = await protect({ issuer: LOCAL }, { ...DEVELOPMENT, path, legacySse })
    expect(resourceOf(authenticate, at('localhost:3000', asked))).toBe(`http://localhost:3000${resource}`)
  })

  it("contains the mount's path if the request has no path", async () => {
    const { authenticate } = await protect({ issuer: LOCAL }, DEVELOPMENT)
    const request = { ...at('127.0.0.1:1', undefined), path: undefined }
    expect(resourceOf(authenticate, request)).toBe('http://127.0.0.1:1/mcp')
  })

  it.each(['api.example.com', 'localhost.example.com', '127.0.0.1.example.com', '', undefined, 'a b'])(
    'is not set for a host that is not on loopback: %s',
    async (host) => {
      const { authenticate } = await protect({ issuer: LOCAL }, DEVELOPMENT)
      expect(await authenticate(at(host, '/mcp'))).toMatchObject({ status: 401 })
      expect(resourceOf(authenticate, at(host, '/mcp'))).toBe('Bearer')
      expect(authenticate.challengeFor?.(['a'], at(host, '/mcp'))).toBe('Bearer')
      const answer = authenticate.wellKnown?.answer({ ...at(host, WELL_KNOWN), peer: undefined })
      expect(answer).toBeUndefined()
    },
  )

  it('is cached for 16 hosts, but is correct for any number of hosts', async () => {
    const { authenticate, issuer } = await protect({ issuer: LOCAL }, DEVELOPMENT)
    const waits: boolean[] = []
    for (let port = 1; port <= 17; port++) {
      const aud = `http://localhost:${port}/mcp`
      const token = `Bearer ${await issuer.sign({ aud })}`
      const request = at(`localhost:${port}`, '/mcp', token)
      expect(await authenticate(request)).toMatchObject({ clientId: 'client' })
      waits.push(authenticate(request) instanceof Promise)
    }
    expect(waits).toEqual(waits.map((_, i) => i === 16))
  })
})

describe('the resource for each route', () => {
  const legacySse: ProtectedMount['legacySse'] = { ssePath: '/events', messagePath: '/posts' }

  it.each([
    ['mcp', 'https://api.example.com/a/mcp'],
    ['sse', 'https://api.example.com/a/events'],
    ['message', 'https://api.example.com/a/events'],
  ] as const)('determines the metadata named in the challenge: %s', async (route, resource) => {
    const { authenticate } = await protect({}, { publicUrl: 'https://api.example.com/a/mcp', legacySse })
    const request = requestWith('', { route, header: () => undefined })
    expect(resourceOf(authenticate, request)).toBe(resource)
    expect(authenticate.challengeFor?.([], request)).toContain(
      `"https://api.example.com${WELL_KNOWN}${new URL(resource).pathname}"`,
    )
  })

  it.each(['sse', 'message'] as const)('is the MCP resource if `legacySse` is off: %s', async (route) => {
    const { authenticate } = await protect()
    const request = requestWith('', { route, header: () => undefined })
    expect(resourceOf(authenticate, request)).toBe('https://api.example.com/mcp')
  })
})

describe('the publicUrl and resource options', () => {
  it.each<[string | undefined, string | undefined, string | undefined, string]>([
    ['https://api.example.com', undefined, '/mcp', 'https://api.example.com/mcp'],
    ['https://api.example.com', undefined, undefined, 'https://api.example.com'],
    ['https://api.example.com', 'https://api.example.com', '/mcp', 'https://api.example.com'],
    ['https://api.example.com/a', 'https://api.example.com/b', '/mcp', 'https://api.example.com/b'],
    ['https://api.example.com/a/', undefined, '/mcp', 'https://api.example.com/a'],
  ])('publicUrl %s, resource %s, path %s → %s', async (publicUrl, resource, path, expected) => {
    const options = resource === undefined ? {} : { resource }
    const { authenticate } = await protect(options, { publicUrl, path })
    expect(resourceOf(authenticate, at('other.example', '/x'))).toBe(expected)
  })

  it('throw ERR_MCP_OPTION for a string that is not a URL', async () => {
    await expect(protect({ resource: '/mcp' })).rejects.toThrow('option resource must be a URL')
  })

  it('are optional only if every issuer is on loopback', () => {
    const both = oauth({ issuers: [{ issuer: LOCAL }, { issuer: ISSUER }] })
    const where = {
      ...DEVELOPMENT,
      path: '/mcp',
      legacySse: undefined,
      clock: new FakeClock(),
      logger: silent,
    }
    expect(() => both.mount?.(where)).toThrow('option resource is missing')
  })
})

describe('challengeFor', () => {
  it.each<[string | undefined, string]>([
    [undefined, 'Bearer'],
    ['Bearer x', 'Bearer'],
    ['Basic x', 'Bearer'],
  ])(
    'names each scope of the mount and the operation only once (Authorization: %s)',
    async (authorization, scheme) => {
      const { authenticate } = await protect({ scopes: ['a', 'b'] })
      expect(authenticate.challengeFor?.(['b', 'c'], at('api.example.com', '/mcp', authorization))).toBe(
        `${scheme} error="insufficient_scope", resource_metadata="https://api.example.com${WELL_KNOWN}/mcp", scope="a b c"`,
      )
    },
  )
})

describe('wellKnown of one oauth() with several mounts', () => {
  it('returns the metadata of the mount at the requested path, and shares `elsewhere` between all mounts', () => {
    const both = oauth({ issuer: ISSUER, root: false })
    const mount = (name: string): Authenticate => {
      const publicUrl = `https://api.example.com/${name}`
      const where = {
        publicUrl,
        path: `/${name}`,
        legacySse: undefined,
        clock: new FakeClock(),
        logger: silent,
      }
      return both.mount?.(where) ?? both
    }
    const first = mount('a')
    expect([both.wellKnown?.elsewhere, first.wellKnown?.elsewhere]).toEqual([false, false])
    both.wellKnown!.elsewhere = true
    const second = mount('b')
    const all = [both, first, second]
    expect(all.map(({ wellKnown }) => wellKnown?.elsewhere)).toEqual([true, true, true])
    expect(both.wellKnown?.paths).toEqual([`${WELL_KNOWN}/a`, `${WELL_KNOWN}/b`])
    const resourceAt = (path: string): unknown => {
      const asked = { method: 'GET', path, header: () => undefined, peer: undefined }
      const answer = both.wellKnown?.answer(asked)
      return answer && (JSON.parse(String(answer.body)) as { resource: string }).resource
    }
    expect(resourceAt(`${WELL_KNOWN}/a`)).toBe('https://api.example.com/a')
    expect(resourceAt(`${WELL_KNOWN}/b/`)).toBe('https://api.example.com/b')
    expect(resourceAt(`${WELL_KNOWN}/c`)).toBeUndefined()
    expect(resourceAt('/mcp')).toBeUndefined()
  })
})
