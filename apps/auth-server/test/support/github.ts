import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from '@jetway-apps/test-support/http'

/** The token that the stand-in issues. It must remain secret. */
export const GITHUB_TOKEN = 'gho_canary'
export const GITHUB_APP = { clientId: 'github-app', clientSecret: 'github-secret' } as const

/** A stand-in for GitHub. Its users consent immediately. */
export interface GitHub {
  readonly origin: string
  /** The user who is logged in to GitHub in this browser; undefined if the user cancels the login. */
  user: { readonly id: number; readonly login: string } | undefined
  /** The number of times that a browser has opened the login page. */
  readonly logins: number
  readonly release: () => void
}

/**
 * Serves the endpoints for GitHub's web application flow.
 *
 * @see https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps
 */
export async function startGitHub(callback: () => string): Promise<GitHub> {
  const codes = new Map<string, URLSearchParams>()
  const state: { user: GitHub['user']; logins: number } = {
    user: { id: 583_231, login: 'octocat' },
    logins: 0,
  }
  const http = createServer((request, response) => {
    const send = (status: number, body: object): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://localhost')
    if (pathname === '/login/oauth/authorize') {
      state.logins += 1
      const redirect = query.get('redirect_uri') ?? ''
      // GitHub accepts paths below the registered callback URL.
      const isKnown = redirect.startsWith(`${callback()}/`) && query.get('client_id') === GITHUB_APP.clientId
      if (!isKnown) return send(404, {})
      const code = `code-${codes.size}`
      codes.set(code, query)
      const answer = state.user === undefined ? { error: 'access_denied' } : { code }
      const back = new URLSearchParams({ ...answer, state: query.get('state') ?? '' })
      return void response.writeHead(302, { location: `${redirect}?${back}` }).end()
    }
    if (pathname === '/user') {
      if (request.headers.authorization !== `Bearer ${GITHUB_TOKEN}`) return send(401, {})
      return send(200, state.user ?? {})
    }
    void text(request).then((body) => {
      const form = new URLSearchParams(body)
      const asked = codes.get(form.get('code') ?? '')
      codes.delete(form.get('code') ?? '')
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url')
      const isValid =
        form.get('client_secret') === GITHUB_APP.clientSecret &&
        asked?.get('code_challenge') === challenge &&
        asked.get('redirect_uri') === form.get('redirect_uri')
      // Like GitHub, replies with status 200 even if the code is invalid.
      send(
        200,
        isValid ? { access_token: GITHUB_TOKEN, token_type: 'bearer' } : { error: 'bad_verification_code' },
      )
    })
  })
  const { origin, release } = await listen(http)
  return Object.assign(state, { origin, release })
}
