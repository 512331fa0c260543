import { type AuthProvider, type AuthRequest, bearerToken, MAX_AUTH_RETRIES, withAuth } from '@jetway/client'
import { describe, expect, it as base } from 'vitest'
import { scripted, type Scripted } from './support/scripted.ts'

async function serverAt(status = 200, headers: Record<string, string> = {}): Promise<Scripted> {
  const server = await scripted()
  for (const method of ['POST', 'GET', 'DELETE'])
    server.routes.set(`${method} /mcp`, () => ({ status, headers }))
  return server
}

/** Provides tests with a server that replies with 200, and with a function that sends requests to it. */
const it = base.extend('server', () => serverAt()).extend('sending', ({ server }) => sendingTo(server))

/** Returns a function that sends one request to a server, with a provider's credentials. */
const sendingTo =
  (server: Scripted) =>
  (provider: AuthProvider, init?: RequestInit, path = '/mcp'): Promise<Response> =>
    withAuth(fetch, provider, `${server.origin}/mcp`)(server.origin + path, init)

const authorizations = (server: Scripted): (string | undefined)[] =>
  server.seen.map(({ headers }) => headers['authorization'])

describe('the credentials for a request', () => {
  it("are requested from the provider each time, and added to the caller's headers", async ({
    server,
    sending,
  }) => {
    const asked: AuthRequest[] = []
    const provider: AuthProvider = {
      headers: (request) => {
        asked.push(request)
        return { authorization: `Bearer t${asked.length}` }
      },
    }
    await sending(provider, { method: 'POST', body: 'signed', headers: { accept: 'x/y' } })
    await sending(provider)
    await sending(provider, { method: 'DELETE' })
    expect(authorizations(server)).toEqual(['Bearer t1', 'Bearer t2', 'Bearer t3'])
    expect(server.seen[0]).toMatchObject({ body: 'signed', headers: { accept: 'x/y' } })
    const resource = `${server.origin}/mcp`
    expect(asked).toEqual([
      { resource, url: resource, method: 'POST', body: 'signed' },
      { resource, url: resource, method: 'GET' },
      { resource, url: resource, method: 'DELETE' },
    ])
  })

  it('may be undefined', async ({ server, sending }) => {
    await sending({ headers: () => undefined })
    expect(authorizations(server)).toEqual([undefined])
  })

  it('cause the request to fail without being sent if the provider throws', async ({ server, sending }) => {
    const provider: AuthProvider = { headers: () => Promise.reject(new Error('vault is closed')) }
    await expect(sending(provider)).rejects.toThrow('vault is closed')
    expect(server.seen).toEqual([])
  })

  it("do not change the URL's query", async ({ server, sending }) => {
    await sending(bearerToken('abc'), {}, '/mcp?token=a%20b&x=1')
    expect(server.seen[0]?.query.toString()).toBe('token=a+b&x=1')
  })
})

describe('bearerToken', () => {
  it('sends a fixed token or the current result of a function', async ({ server, sending }) => {
    await sending(bearerToken('abc'))
    let token = 'first'
    const current = bearerToken(async () => token)
    await sending(current)
    token = 'second'
    await sending(current)
    expect(authorizations(server)).toEqual(['Bearer abc', 'Bearer first', 'Bearer second'])
  })

  it.for(['Bearer abc', 'bearer\tabc', '', 'with space', 'line\nbreak', 'umläut'])(
    'rejects %j as a token without printing it',
    async (token, { server, sending }) => {
      let said = ''
      try {
        bearerToken(token)
      } catch (error) {
        said = String(error)
      }
      expect(said).toContain('ERR_MCP_OPTION')
      if (token !== '') expect(said.replace('"Bearer "', '')).not.toContain(token)
      await expect(sending(bearerToken(() => token))).rejects.toThrow('ERR_MCP_OPTION')
      expect(server.seen).toEqual([])
    },
  )

  it('explains the mistake if the token begins with "Bearer"', () => {
    expect(() => bearerToken('Bearer abc')).toThrow('without "Bearer "')
  })
})

describe('a request that the server refuses', () => {
  it.for([401, 403])(
    'is resent with new credentials if the provider decides to retry: status %i',
    async (status, { server, sending }) => {
      server.routes.set('POST /mcp', ({ headers }) =>
        headers['authorization'] === 'Bearer new'
          ? {}
          : { status, headers: { 'www-authenticate': 'Bearer' } },
      )
      let token = 'old'
      const provider: AuthProvider = {
        headers: () => ({ authorization: `Bearer ${token}` }),
        onChallenge: async (answer) => {
          expect(answer).toMatchObject({ status, method: 'POST', sent: { authorization: 'Bearer old' } })
          expect(answer.headers.get('www-authenticate')).toBe('Bearer')
          token = 'new'
          return 'retry'
        },
      }
      const answer = await sending(provider, { method: 'POST', body: 'x' })
      expect(answer.status).toBe(200)
      expect(server.seen.map(({ body }) => body)).toEqual(['x', 'x'])
    },
  )

  it('resolves to the refusal if the provider gives up, or after four retries', async () => {
    const server = await serverAt(401)
    const decides = (decision: 'retry' | 'give-up'): AuthProvider => ({
      headers: () => undefined,
      onChallenge: async () => decision,
    })
    expect((await sendingTo(server)(decides('give-up'))).status).toBe(401)
    expect(server.seen).toHaveLength(1)
    expect((await sendingTo(server)(decides('retry'))).status).toBe(401)
    expect(MAX_AUTH_RETRIES).toBe(4)
    expect(server.seen).toHaveLength(1 + 1 + 4)
  })

  it('is not resent if its body is a stream', async () => {
    const server = await serverAt(401)
    let asked = 0
    const provider: AuthProvider = {
      headers: () => undefined,
      onChallenge: async () => {
        asked += 1
        return 'retry'
      },
    }
    const body = new Blob(['once']).stream()
    const init = { method: 'POST', body, duplex: 'half' } as RequestInit
    expect((await sendingTo(server)(provider, init)).status).toBe(401)
    expect({ asked, sent: server.seen.length }).toEqual({ asked: 0, sent: 1 })
  })

  it('rejects if the provider throws', async () => {
    const server = await serverAt(401)
    const provider: AuthProvider = {
      headers: () => undefined,
      onChallenge: () => Promise.reject(new Error('nobody is there')),
    }
    await expect(sendingTo(server)(provider)).rejects.toThrow('nobody is there')
  })
})

describe('withAuth', () => {
  it('rejects a request to another origin before it calls the provider', async ({ server }) => {
    const other = await serverAt()
    let asked = 0
    const provider: AuthProvider = {
      headers: () => {
        asked += 1
        return { authorization: 'Bearer abc' }
      },
    }
    await expect(withAuth(fetch, provider, server.origin)(`${other.origin}/mcp`)).rejects.toThrow(TypeError)
    expect({ asked, seen: other.seen }).toEqual({ asked: 0, seen: [] })
  })

  it.each([301, 302, 303, 307, 308])('does not follow a redirect with status %i', async (status) => {
    const other = await serverAt()
    const server = await serverAt(status, { location: `${other.origin}/mcp` })
    const told: number[] = []
    const provider: AuthProvider = {
      ...bearerToken('abc'),
      onResponse: (answer) => void told.push(answer.status),
    }
    const answer = await sendingTo(server)(provider)
    expect({ status: answer.status, told }).toEqual({ status, told: [status] })
    expect(answer.headers.get('location')).toBe(`${other.origin}/mcp`)
    expect({ sent: server.seen.length, other: other.seen }).toEqual({ sent: 1, other: [] })
  })
})
