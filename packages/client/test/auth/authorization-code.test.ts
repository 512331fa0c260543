import { freePort } from '@jetway-apps/test-support/http'
import { authorizationCode, loopbackRedirect } from '@jetway/client/oauth'
import { describe, expect } from 'vitest'
import { failure, it, REDIRECT, reasonOf, withoutRefreshToken, type World } from './support/world.ts'

/** Changes the URL to which the browser returns. */
function comingBack(made: World, change: (back: URL) => void): void {
  const { browse } = made
  made.browse = async (url) => {
    const back = new URL(await browse(url))
    change(back)
    return back.href
  }
}

/** https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#authorization-response-validation */
describe('the issuer in an authorization response', () => {
  it.for([
    [true, 'right', 'none'],
    [true, 'absent', 'response'],
    [true, 'foreign', 'issuer'],
    [undefined, 'right', 'none'],
    [undefined, 'absent', 'none'],
    [undefined, 'foreign', 'issuer'],
    [undefined, 'with a slash', 'issuer'],
    [undefined, 'in capitals', 'issuer'],
  ] as const)(
    'given iss support %j and iss "%s", causes the error "%s"',
    async ([advertised, kind, expected], { made }) => {
      const { origin } = made.issuer
      const values: Record<string, string> = {
        right: origin,
        foreign: 'https://evil.example',
        'with a slash': `${origin}/`,
        'in capitals': origin.replace('http', 'HTTP'),
      }
      made.metadata['authorization_response_iss_parameter_supported'] = advertised
      comingBack(made, (back) => {
        const value = values[kind]
        if (value !== undefined) back.searchParams.set('iss', value)
      })
      const reason = await reasonOf(made.post())
      expect([reason, made.issuer.to('POST /token').length]).toEqual([expected, expected === 'none' ? 1 : 0])
    },
  )

  it("must match before the response's error text is reported", async ({ made }) => {
    comingBack(made, (back) => {
      back.search = `?error=access_denied&error_description=CALL-0900&iss=https%3A%2F%2Fevil.example&state=${back.searchParams.get('state')}`
    })
    const error = await failure(made.post())
    expect([error.reason, error.oauthError]).toEqual(['issuer', undefined])
    expect(error.message).not.toMatch(/CALL|access_denied/)
  })
})

describe('an authorization response', () => {
  it.for<[string, (back: URL) => void]>([
    ['without the state', (back) => back.searchParams.delete('state')],
    ['with another state', (back) => back.searchParams.set('state', 'other')],
    ['with two states', (back) => back.searchParams.append('state', 'other')],
    ['without a code', (back) => back.searchParams.delete('code')],
    ['at another origin', (back) => (back.port = '3998')],
    ['at another path', (back) => (back.pathname = '/other')],
  ])('is not exchanged for a token if it arrives %s', async ([, change], { made }) => {
    comingBack(made, change)
    expect(['response', 'token']).toContain(await reasonOf(made.post()))
    expect(made.issuer.to('POST /token')).toEqual([])
  })

  it('rejects the request with the error that it contains', async ({ made }) => {
    comingBack(made, (back) => {
      back.searchParams.delete('code')
      back.searchParams.set('error', 'access_denied')
      back.searchParams.set('error_description', 'The user \u001b[31msaid no')
    })
    const error = await failure(made.post())
    expect([error.reason, error.oauthError]).toEqual(['refused', 'access_denied'])
    expect(error.message).toContain('access_denied: The user  [31msaid no')
  })

  it('is rejected if it is not a URL', async ({ made }) => {
    made.browse = async () => 'code-1'
    expect(await reasonOf(made.post())).toBe('response')
  })

  it('must arrive before the timeout', async ({ made }) => {
    let told: AbortSignal | undefined
    const grant = authorizationCode({
      redirectUri: REDIRECT,
      timeoutMs: 20,
      authorize: (_url, { signal }) => {
        told = signal
        return new Promise(() => undefined)
      },
    })
    expect(await reasonOf(made.post({ grant }))).toBe('refused')
    expect(told?.aborted).toBe(true)
  })
})

describe('a user', () => {
  /** https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/security-considerations#authorization-code-protection */
  it.for([[undefined], [[]], [['plain']]])(
    'is not asked for authorization if the PKCE methods are %j',
    async ([methods], { made }) => {
      made.metadata['code_challenge_methods_supported'] = methods
      expect(await reasonOf(made.post())).toBe('pkce')
      expect(made.visits).toEqual([])
    },
  )

  it('is asked for authorization with a new challenge and state each time', async ({ made, send }) => {
    made.metadata['authorization_endpoint'] = `${made.issuer.origin}/authorize?tenant=7`
    made.token = withoutRefreshToken
    await send()
    made.valid.clear()
    await send()
    const [one, two] = made.visits.map(({ searchParams }) => Object.fromEntries(searchParams))
    expect(one).toMatchObject({
      tenant: '7',
      response_type: 'code',
      client_id: 'registered-1',
      redirect_uri: REDIRECT,
      resource: made.url,
      code_challenge_method: 'S256',
      state: expect.stringMatching(/^[\w-]{40,}$/) as string,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
    })
    expect(two?.['state']).not.toBe(one?.['state'])
    expect(two?.['code_challenge']).not.toBe(one?.['code_challenge'])
  })

  it.for([
    'javascript:alert(1)//',
    'file:///etc/passwd',
    '-x',
    'data:text/html,x',
    'http://public.example/authorize',
    'https://user:word@public.example/authorize',
    'https://10.0.0.1/authorize',
    'vscode://x',
    42,
  ])('is never sent to %s', async (address, { made }) => {
    made.metadata['authorization_endpoint'] = address
    expect(['address', 'discovery']).toContain(await reasonOf(made.post()))
    expect(made.visits).toEqual([])
  })
})

describe('a loopback redirect', () => {
  it('is accepted only while the authorization is pending', async ({ made }) => {
    const port = await freePort()
    const pages: string[] = []
    const redirect = loopbackRedirect({
      port,
      page: 'Thank you',
      open: async (url) => {
        // The client must ignore requests for another path, and requests with a host name that resolves to
        // loopback (DNS rebinding).
        await fetch(`http://127.0.0.1:${port}/favicon.ico`)
        await fetch(`http://localhost:${port}/callback?code=x`).catch(() => undefined)
        // Any page can send these requests, but only the browser that visited the authorization server knows the
        // state.
        const forged = `http://127.0.0.1:${port}/callback?code=x`
        const state = url.searchParams.get('state') ?? ''
        for (const query of ['', '&state=', '&state=guessed', `&state=guessed&state=${state}`])
          expect((await fetch(`${forged}${query}`)).status).toBe(400)
        expect((await fetch(`${forged}&state=${state}`, { method: 'POST' })).status).toBe(404)
        pages.push(await (await fetch(url)).text())
      },
    })
    await expect(fetch(redirect.redirectUri)).rejects.toThrow()
    expect((await made.post({ grant: authorizationCode(redirect) })).status).toBe(200)
    expect(pages).toEqual(['Thank you'])
    await expect(fetch(redirect.redirectUri)).rejects.toThrow()
  })

  it('fails if its port is in use or the request is aborted', async ({ made }) => {
    const port = Number(new URL(made.issuer.origin).port)
    const taken = loopbackRedirect({ port, open: () => undefined })
    await expect(made.post({ grant: authorizationCode(taken) })).rejects.toThrow('EADDRINUSE')
    const unanswered = loopbackRedirect({ port: await freePort(), open: () => undefined })
    const grant = authorizationCode({ ...unanswered, timeoutMs: 20 })
    expect(await reasonOf(made.post({ grant }))).toBe('refused')
    await expect(fetch(unanswered.redirectUri)).rejects.toThrow()
  })

  it.each([0, -1, 65_536, 1.5])('cannot use port %d', (port) => {
    expect(() => loopbackRedirect({ port, open: () => undefined })).toThrow('ERR_MCP_OPTION')
  })
})
