import * as oauth from 'oauth4webapi'
import type { Discovered } from './discovery.ts'
import { AuthorizationError, fromLibrary, saidByPeer } from './errors.ts'
import type { Grant, GrantRequest } from './grants.ts'

/** How a user is asked. */
export interface AuthorizationCodeOptions {
  /** Where the browser comes back to: https, http on loopback, or a scheme of the application's own. Registered as it is. */
  readonly redirectUri: string
  /**
   * Shows the address to the user, in a browser, and gives the address that the browser was sent back to. The address is
   * http or https, and comes from strangers: open it without a shell. `signal` ends the waiting.
   */
  readonly authorize: (url: URL, context: { readonly signal: AbortSignal }) => Promise<string | URL>
  /** For how long, in ms, the user may take. @default 600_000 (10 min) */
  readonly timeoutMs?: number
  /** Whether to ask for a refresh token where the server wants a scope for that. @default true */
  readonly offlineAccess?: boolean
}

const TEN_MINUTES = 600_000
/** https://openid.net/specs/openid-connect-core-1_0.html#OfflineAccess */
const OFFLINE = 'offline_access'

/**
 * A user allows this client to act for them, with PKCE.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#authorization-flow-steps
 */
export function authorizationCode(options: AuthorizationCodeOptions): Grant {
  return {
    grantTypes: ['authorization_code', 'refresh_token'],
    redirectUris: [options.redirectUri],
    isAttended: true,
    chosen: [],
    obtain: (request) => obtain(options, request),
  }
}

async function obtain(
  options: AuthorizationCodeOptions,
  request: GrantRequest,
): Promise<oauth.TokenEndpointResponse> {
  const { found, endpoint } = request
  const { server, client, identity } = endpoint
  requirePkce(found)
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const url = await addressToShow(options, request, verifier, state)
  const back = await ask(options, url)
  const parameters = readAnswer(options, server, client, back, state)
  return await endpoint.exchange(
    [verifier, parameters.get('code') ?? ''],
    (sent) =>
      oauth.authorizationCodeGrantRequest(
        server,
        client,
        identity.authenticate,
        parameters,
        options.redirectUri,
        verifier,
        { ...sent, additionalParameters: { resource: found.resource } },
      ),
    (response) => oauth.processAuthorizationCodeResponse(server, client, response),
  )
}

/** https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/security-considerations#authorization-code-protection */
function requirePkce({
  authorizationServer: { issuer, code_challenge_methods_supported: methods },
  isAssumed,
}: Discovered): void {
  if (isAssumed || methods?.includes('S256') === true) return
  throw new AuthorizationError(
    'pkce',
    `${issuer} does not say that it supports PKCE with S256, so codes could be stolen on their way: not used`,
  )
}

async function addressToShow(
  { redirectUri, offlineAccess = true }: AuthorizationCodeOptions,
  { found, endpoint, scopes, discovery, keyThumbprint }: GrantRequest,
  verifier: string,
  state: string,
): Promise<URL> {
  const { authorization_endpoint: address, scopes_supported: supported, issuer } = found.authorizationServer
  if (typeof address !== 'string')
    throw new AuthorizationError('discovery', `${issuer} has no authorization endpoint`)
  const url = discovery.policy.check(address)
  const isOffline = offlineAccess && scopes.length > 0 && supported?.includes(OFFLINE) === true
  const asked = isOffline ? [...new Set([...scopes, OFFLINE])] : scopes
  const parameters = {
    response_type: 'code',
    client_id: endpoint.identity.clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    resource: found.resource,
    ...(asked.length > 0 ? { scope: asked.join(' ') } : {}),
    ...(isOffline ? { prompt: 'consent' } : {}),
    ...(keyThumbprint === undefined ? {} : { dpop_jkt: keyThumbprint }),
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url
}

async function ask({ authorize, timeoutMs = TEN_MINUTES }: AuthorizationCodeOptions, url: URL): Promise<URL> {
  const waiting = new AbortController()
  const { signal } = waiting
  const timer = setTimeout(() => {
    waiting.abort(
      new AuthorizationError('refused', `Nobody came back from the browser within ${timeoutMs} ms`),
    )
  }, timeoutMs)
  const tooLate = new Promise<never>((_, fail) => {
    signal.addEventListener('abort', () => fail(signal.reason as AuthorizationError))
  })
  try {
    const back = await Promise.race([authorize(url, { signal }), tooLate])
    if (URL.canParse(back)) return new URL(back)
  } finally {
    clearTimeout(timer)
  }
  throw new AuthorizationError('response', 'What came back from the browser is no address')
}

/**
 * The parameters of an answer to this very question. The issuer is compared before anything else is looked at, as text,
 * so that a server that mixes itself in neither gets a code nor has its error text shown.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#authorization-response-validation
 */
function readAnswer(
  { redirectUri }: AuthorizationCodeOptions,
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  back: URL,
  state: string,
): URLSearchParams {
  const expected = new URL(redirectUri)
  if (back.origin !== expected.origin || back.pathname !== expected.pathname)
    throw new AuthorizationError(
      'response',
      'The browser came back to another address than the redirect address',
    )
  try {
    return oauth.validateAuthResponse(server, client, back, state)
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError) {
      const { code, text } = saidByPeer(error.error, error.error_description, [state])
      throw new AuthorizationError('refused', `${server.issuer} did not authorize this client: ${text}`, code)
    }
    const isForeign = (back.searchParams.get('iss') ?? server.issuer) !== server.issuer
    throw fromLibrary(
      isForeign ? 'issuer' : 'response',
      'The answer that the browser brought is not used',
      error,
      [state],
    )
  }
}
