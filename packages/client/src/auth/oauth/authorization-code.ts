import { systemClock } from '@jetway/core/stores'
import * as oauth from 'oauth4webapi'
import { withTimeout } from '../../util/promises.ts'
import type { Discovered } from './discovery.ts'
import { AuthorizationError, fromLibrary, saidByPeer } from './errors.ts'
import type { Grant, GrantRequest } from './grants.ts'

/** The options of the authorization code flow with PKCE (RFC 6749, RFC 7636). */
export interface AuthorizationCodeOptions {
  /**
   * The URL to which the browser returns: https, http on loopback, or a custom scheme. Register exactly this
   * URL.
   */
  readonly redirectUri: string
  /**
   * Opens the URL in a browser. Resolves to the URL to which the browser was redirected. The URL comes from the
   * server, so do not pass it to a shell. `signal` aborts after `timeoutMs`.
   */
  readonly authorize: (url: URL, context: { readonly signal: AbortSignal }) => Promise<string | URL>
  /**
   * The maximum time for the user to authorize the client, in ms. After that, the request fails. @default
   * 600_000
   */
  readonly timeoutMs?: number
  /** Whether to request a refresh token if the server supports the scope `offline_access`. @default true */
  readonly offlineAccess?: boolean
}

/** https://openid.net/specs/openid-connect-core-1_0.html#OfflineAccess */
const OFFLINE = 'offline_access'

/**
 * Creates a grant in which the user authorizes this client, with PKCE.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#authorization-flow-steps
 */
export function authorizationCode(options: AuthorizationCodeOptions): Grant {
  return {
    grantTypes: ['authorization_code', 'refresh_token'],
    redirectUris: [options.redirectUri],
    isInteractive: true,
    trustedUrls: [],
    obtain: (request) => obtain(options, request),
  }
}

async function obtain(options: AuthorizationCodeOptions, request: GrantRequest) {
  const { found, endpoint } = request
  const { server, identity } = endpoint
  requirePkce(found)
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const url = await addressToShow(options, request, verifier, state)
  const back = await ask(options, url)
  const code = readAnswer(options, server, { client_id: identity.clientId }, back, state)
  return await endpoint.request('authorization_code', {
    code,
    redirect_uri: options.redirectUri,
    code_verifier: verifier,
    resource: found.resource,
  })
}

/** https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/security-considerations#authorization-code-protection */
function requirePkce({
  authorizationServer: { issuer, code_challenge_methods_supported: methods },
  isAssumed,
}: Discovered): void {
  if (isAssumed || methods?.includes('S256') === true) return
  throw new AuthorizationError(
    'pkce',
    `${issuer} does not announce PKCE with S256: without it, authorization codes can be stolen`,
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

async function ask({ authorize, timeoutMs = 600_000 }: AuthorizationCodeOptions, url: URL): Promise<URL> {
  const waiting = new AbortController()
  const late = (): Error => {
    const error = new AuthorizationError('refused', `The browser did not return within ${timeoutMs} ms`)
    waiting.abort(error)
    return error
  }
  const returned = authorize(url, { signal: waiting.signal })
  const back = await withTimeout(returned, { ms: timeoutMs, clock: systemClock, late })
  if (URL.canParse(back)) return new URL(back)
  throw new AuthorizationError('response', 'The browser returned to something that is not a URL')
}

/**
 * Compares the issuer first, so that in a mix-up attack, the attacker's server does not receive the code and
 * its error text is not shown.
 *
 * @see
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#authorization-response-validation
 */
function readAnswer(
  { redirectUri }: AuthorizationCodeOptions,
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  back: URL,
  state: string,
): string {
  const expected = new URL(redirectUri)
  if (back.origin !== expected.origin || back.pathname !== expected.pathname)
    throw new AuthorizationError('response', 'The browser returned to another URL than the redirect URI')
  try {
    const code = oauth.validateAuthResponse(server, client, back, state).get('code')
    if (code !== null) return code
    throw new AuthorizationError('response', 'The redirect has no code')
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError) {
      const { code, text } = saidByPeer(error.error, error.error_description, [state])
      throw new AuthorizationError('refused', `${server.issuer} did not authorize this client: ${text}`, code)
    }
    const isForeign = (back.searchParams.get('iss') ?? server.issuer) !== server.issuer
    throw fromLibrary(isForeign ? 'issuer' : 'response', 'The redirect is invalid', error, [state])
  }
}
