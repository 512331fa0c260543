import { UsageError } from '@jetway/core'
import { BoundedMap } from '../../util/bounded-map.ts'
import type { AuthProvider } from '../provider.ts'
import { addressPolicy } from './addresses.ts'
import type { ClientCredentials } from './clients.ts'
import { connectChecked, guardedFetch } from './fetch.ts'
import { type OAuthOptions, type OAuthSettings, resolveOAuthOptions } from './options.ts'
import { isNative } from './registration.ts'
import { ServerAuthorization } from './server-authorization.ts'

/**
 * The maximum number of servers whose tokens are kept in memory. Other tokens are read from the store when
 * needed.
 */
const MAX_SERVERS = 256

/**
 * Creates a provider for OAuth as MCP specifies it. The provider discovers the authorization server, requests
 * and refreshes tokens, and requests more scopes when the server requires them. One provider can be used for
 * any number of servers. Concurrent requests share an authorization.
 *
 * The provider contacts only public https URLs, and also loopback addresses if the server is on loopback. It
 * does not follow redirects. Requests fail with an {@link AuthorizationError}.
 *
 * @throws UsageError `ERR_MCP_OPTION` for invalid options
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
export function oauth(options: OAuthOptions): AuthProvider {
  const settings = resolveOAuthOptions(options)
  checkOptions(settings)
  const servers = new BoundedMap<string, ServerAuthorization>({ maxEntries: MAX_SERVERS })
  const at = (resource: string): ServerAuthorization => {
    const known = servers.get(resource) ?? authorizationAt(new URL(resource), settings)
    servers.set(resource, known)
    return known
  }
  const isOwn = (resource: string, url: string): boolean => new URL(url).origin === new URL(resource).origin
  return {
    headers: async (request) =>
      isOwn(request.resource, request.url) ? at(request.resource).headers(request) : undefined,
    onChallenge: async (answer) =>
      isOwn(answer.resource, answer.url) ? at(answer.resource).onChallenge(answer) : 'give-up',
    onResponse: (answer) => at(answer.resource).onResponse(answer),
  }
}

function authorizationAt(server: URL, settings: OAuthSettings): ServerAuthorization {
  const { grant, allowHosts, clients } = settings
  const policy = addressPolicy({
    server,
    trustedUrls: grant.trustedUrls.map((address) => new URL(address)),
    allowHosts,
  })
  const fetch = guardedFetch(policy, settings.fetch ?? connectChecked(policy, settings.resolve), settings)
  const choose = settings.chooseIssuer ?? ((issuers) => preferred(issuers, clients))
  return new ServerAuthorization(settings, { server, fetch, policy, choose })
}

const preferred = (issuers: readonly string[], clients: readonly ClientCredentials[]): string =>
  issuers.find((issuer) => clients.some((client) => client.issuer === issuer)) ?? (issuers[0] as string)

function checkOptions({ clientMetadataUrl, grant, timeoutMs, maxBytes }: OAuthSettings): void {
  if (clientMetadataUrl !== undefined) {
    const url = URL.canParse(clientMetadataUrl) ? new URL(clientMetadataUrl) : undefined
    if (url?.protocol !== 'https:' || url.pathname === '/' || url.href !== clientMetadataUrl)
      throw new UsageError('ERR_MCP_OPTION', 'clientMetadataUrl must be an https URL with a path')
  }
  for (const address of [...grant.trustedUrls, ...grant.redirectUris])
    if (!URL.canParse(address)) throw new UsageError('ERR_MCP_OPTION', `"${address}" is not a URL`)
  // https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/security-considerations#communication-security
  for (const address of grant.redirectUris)
    if (new URL(address).protocol === 'http:' && !isNative(address))
      throw new UsageError('ERR_MCP_OPTION', `The redirect URI ${address} must be https, or http on loopback`)
  if (!(timeoutMs > 0 && maxBytes > 0))
    throw new UsageError('ERR_MCP_OPTION', 'timeoutMs and maxBytes must be positive')
}
