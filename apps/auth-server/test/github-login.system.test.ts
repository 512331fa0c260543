import { generateKeyPairSync } from 'node:crypto'
import { inspect } from 'node:util'
import { authorizationCode, oauth } from '@jetway/client/oauth'
import { freePort } from '@jetway-apps/test-support/http'
import { MOUNTS } from '@jetway-apps/test-support/mounts'
import type { AuthorizationServer } from '@jetway/testing/authorization-server'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { INTERACTION, type LoginOptions } from '../src/github-login/interactions.ts'
import { serve } from '../src/github-login/serve.ts'
import { Browser, type Page } from './support/browser.ts'
import { type GitHub, GITHUB_APP, GITHUB_TOKEN, startGitHub } from './support/github.ts'
import { call, connect, protect, REDIRECT } from './support/protected.ts'

const CLIENT = 'https://client.test/metadata.json'
/** Web-based hosts register a client like this one. For a native client, `oidc-provider` always prompts the user. */
const WEB_CLIENT = 'https://web.test/metadata.json'
const WEB_REDIRECT = 'https://web.test/callback'
const DOCUMENTS = [
  {
    client_id: CLIENT,
    client_name: 'Client <b>of</b> the test',
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
    grant_types: ['authorization_code', 'refresh_token'],
  },
  {
    client_id: WEB_CLIENT,
    client_name: 'Web client',
    redirect_uris: [WEB_REDIRECT],
    token_endpoint_auth_method: 'none',
  },
]

interface Site {
  readonly url: string
  readonly issuer: string
  readonly github: GitHub
}

async function start(options: Pick<LoginOptions, 'mayLogIn'> = {}): Promise<Site> {
  // oidc-provider warns about its in-memory storage, and the server prints why a login failed.
  for (const method of ['info', 'warn', 'error'] as const) {
    const printed = vi.spyOn(console, method).mockReturnValue()
    onTestFinished(() => printed.mockRestore())
  }
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const github = await startGitHub(() => issuer + INTERACTION)
  onTestFinished(github.release)
  const url = await protect({ issuer } as AuthorizationServer, MOUNTS.Fastify)
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const http = await serve(
    {
      issuer,
      resource: url,
      scopes: ['mcp', 'files:write'],
      keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'a', alg: 'ES256', use: 'sig' }],
      cookieKeys: ['a key of cookies'],
      secret: 'a secret',
      github: { ...GITHUB_APP, origin: github.origin, api: github.origin },
      fetch: async (asked) => {
        const requested = new Request(asked).url
        const document = DOCUMENTS.find(({ client_id }) => client_id === requested)
        return document ? Response.json(document) : new Response(null, { status: 404 })
      },
      ...options,
    },
    { port, host: '127.0.0.1' },
  )
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  return { url, issuer, github }
}

const newBrowser = (): Browser => new Browser((at) => at.href.startsWith(REDIRECT))

/** Acts as the user after the client has opened an address. Resolves to the URL with the reply for the client. */
type Visit = (address: URL) => Promise<Page>

const agree: Visit = async (address) => {
  const browser = newBrowser()
  return browser.submit(await browser.visit(address), 'answer', 'allow')
}

async function signIn({ url }: Site, visit: Visit): Promise<Awaited<ReturnType<typeof connect>>> {
  const authorize = async (address: URL): Promise<string> => (await visit(address)).url.href
  const auth = oauth({
    grant: authorizationCode({ redirectUri: REDIRECT, authorize }),
    clientMetadataUrl: CLIENT,
  })
  return connect(url, auth)
}

function authorizationUrl(site: Site, parameters: Readonly<Record<string, string>> = {}): URL {
  const address = new URL('/auth', site.issuer)
  address.search = String(
    new URLSearchParams({
      client_id: CLIENT,
      redirect_uri: REDIRECT,
      response_type: 'code',
      scope: 'mcp',
      resource: site.url,
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
      ...parameters,
    }),
  )
  return address
}

it('a GitHub user consents to a client, logs in, and calls a tool', async () => {
  const site = await start()
  const pages: Page[] = []
  const loginsBefore: number[] = []
  const { client, sent } = await signIn(site, async (address) => {
    const browser = newBrowser()
    const consent = await browser.visit(address)
    pages.push(consent)
    loginsBefore.push(site.github.logins)
    return browser.submit(consent, 'answer', 'allow')
  })
  expect(await call(client, 'whoami')).toBe(`github:583231 by ${CLIENT}`)
  expect(await call(client, 'write')).toBe('written')
  expect(pages.map(({ status }) => status)).toEqual([200, 200])
  expect([loginsBefore, site.github.logins]).toEqual([[0, 1], 2])
  const [first, second] = pages.map(({ text }) => text)
  expect(first).toContain('Client &lt;b&gt;of&lt;/b&gt; the test')
  expect(first).toContain(new URL(REDIRECT).host)
  expect(first).toContain(site.url)
  expect(second).toContain('<li>files:write</li>')
  const tokens = sent.flatMap(({ token = '' }) =>
    token.split('.').map((part) => atob(part.replace(/[-_]/g, 'a'))),
  )
  expect([...tokens, ...sent.map(({ token }) => token)].join()).not.toContain(GITHUB_TOKEN)
})

it.each<[string, Visit]>([
  [
    'the user denies at the authorization server',
    async (address) => {
      const browser = newBrowser()
      return browser.submit(await browser.visit(address), 'answer', 'deny')
    },
  ],
  ['nobody may log in', agree],
  ['the user denies at GitHub', agree],
])('a client receives no token if %s', async (how, visit) => {
  const site = await start(how === 'nobody may log in' ? { mayLogIn: () => false } : {})
  if (how === 'the user denies at GitHub') site.github.user = undefined
  const failure = await signIn(site, visit).catch((error: unknown) => error)
  expect(inspect(failure)).toContain('access_denied')
})

it('only the browser that began a login can finish it, with the code issued to that browser', async () => {
  // Koa prints request errors.
  const printed = vi.spyOn(console, 'error').mockReturnValue()
  onTestFinished(() => printed.mockRestore())
  const site = await start()
  const attempts: Page[] = []
  await signIn(site, async (address) => {
    // The attacker stops before the callback, and sends its URL to a victim's browser.
    const callbacks: URL[] = []
    const attacker = new Browser((at) => at.pathname.endsWith('/github') && callbacks.push(at) > 0)
    await attacker.submit(await attacker.visit(address), 'answer', 'allow')
    const [callback = address] = callbacks
    attempts.push(await newBrowser().visit(callback))
    let stopped = false
    const victim = new Browser((at) => at.pathname.endsWith('/github') && !stopped && (stopped = true))
    const own = (await victim.submit(await victim.visit(address), 'answer', 'allow')).url
    own.searchParams.set('code', callback.searchParams.get('code') ?? '')
    attempts.push(await victim.visit(own))
    return agree(address)
  })
  expect(attempts.map(({ status, text }) => [status, text])).toEqual([
    [400, 'The login has failed. Please try again.\n'],
    [400, 'The login has failed. Please try again.\n'],
  ])
})

describe('a user who has already allowed the client', () => {
  it.each([
    ['native', CLIENT, REDIRECT],
    ['web', WEB_CLIENT, WEB_REDIRECT],
  ])('must consent again if the %s client starts another authorization', async (_kind, client, redirect) => {
    const site = await start()
    const browser = new Browser((at) => at.href.startsWith(redirect))
    const address = authorizationUrl(site, { client_id: client, redirect_uri: redirect })
    const first = await browser.submit(await browser.visit(address), 'answer', 'allow')
    expect(first.url.searchParams.has('code')).toBe(true)
    const second = await browser.visit(address)
    expect(second).toMatchObject({ status: 200, text: expect.stringContaining('Allow access?') as string })
    const silent = await browser.visit(
      authorizationUrl(site, {
        client_id: client,
        redirect_uri: redirect,
        prompt: 'none',
      }),
    )
    expect(silent.url.searchParams.get('error')).toBe('consent_required')
  })

  it('receives tokens for the account that is currently signed in at GitHub', async () => {
    const site = await start()
    const browser = newBrowser()
    const visit: Visit = async (address) => {
      const page = await browser.submit(await browser.visit(address), 'answer', 'allow')
      // `oidc-provider` ends the previous account's session with a form that the page submits automatically.
      return page.status === 200 ? browser.submit(page) : page
    }
    const { client } = await signIn(site, visit)
    site.github.user = { id: 7, login: 'another' }
    const { client: next } = await signIn(site, visit)
    expect(await call(client, 'whoami')).toBe(`github:583231 by ${CLIENT}`)
    expect(await call(next, 'whoami')).toBe(`github:7 by ${CLIENT}`)
  })
})

it("GitHub's callback does not return a code before the user has allowed the client", async () => {
  const site = await start()
  const browser = newBrowser()
  const { url } = await browser.visit(authorizationUrl(site))
  const callback = new URL(`${url.pathname}/github?code=code-0&state=guessed`, url)
  expect(await browser.visit(callback)).toMatchObject({ status: 400 })
})

it('the consent page refuses a form longer than 1 KiB', async () => {
  const site = await start()
  const browser = newBrowser()
  const page = await browser.visit(authorizationUrl(site))
  expect(await browser.submit(page, 'answer', 'allow'.padEnd(2_000))).toMatchObject({ status: 400 })
})

it('the authorization server issues no tokens for other servers', async () => {
  const site = await start()
  const address = authorizationUrl(site, { resource: 'https://other.example/mcp' })
  const { url } = await newBrowser().visit(address)
  expect(url.searchParams.get('error')).toBe('invalid_target')
})
