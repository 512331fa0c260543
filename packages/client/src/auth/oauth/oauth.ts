import { UsageError } from '@jetway/core'
import { type Clock, systemClock } from '@jetway/core/stores'
import { BoundedMap } from '../../util/bounded-map.ts'
import type { AuthProvider } from '../provider.ts'
import { addressPolicy } from './addresses.ts'
import type { ClientCredentials } from './clients.ts'
import { type DpopOptions, DpopProver } from './dpop.ts'
import { connectChecked, guardedFetch, type Resolve, type SendRequest } from './fetch.ts'
import type { Grant } from './grants.ts'
import { isNative, type RegistrationOptions } from './registration.ts'
import { type AuthorizationSettings, ServerAuthorization } from './server-authorization.ts'
import { type CredentialStore, memoryCredentials } from './store.ts'

/** Options of every OAuth provider. */
export interface OAuthOptions {
  /** `authorizationCode`, `clientCredentials`, `workloadIdentity` or `enterpriseManaged`. */
  readonly grant: Grant
  /** Clients that are registered by hand. They are used before any other way. */
  readonly clients?: readonly ClientCredentials[]
  /**
   * The https URL, with a path, of this client's metadata document. It is the client id at servers that support it:
   * https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/
   */
  readonly clientMetadataUrl?: string
  /** Enables dynamic registration, at servers where no other client id is known. */
  readonly registration?: RegistrationOptions
  /** Asks the user for a client id, as the last resort. */
  readonly askClient?: (issuer: string) => Promise<ClientCredentials | undefined>
  /** Requested in addition to the server's scopes. */
  readonly scopes?: readonly string[]
  /** Chooses one of several authorization servers. @default one from `clients`, or the first */
  readonly chooseIssuer?: (issuers: readonly string[], resource: string) => string | Promise<string>
  readonly dpop?: DpopOptions
  /** Where credentials stay. @default memoryCredentials() */
  readonly store?: CredentialStore
  /** Host names, without a port, that metadata may name over https even though they are not public. */
  readonly allowHosts?: readonly string[]
  /** Ms for each response of an authorization server. @default 10_000 */
  readonly timeoutMs?: number
  /** Limit for each response of an authorization server, in bytes. @default 262_144 */
  readonly maxBytes?: number
  /** Replaces the DNS lookup. Every address is checked. */
  readonly resolve?: Resolve
  /**
   * Replaces the requests to authorization servers, for instance with a proxy. URLs are checked, but the addresses
   * that they resolve to are not.
   */
  readonly fetch?: (url: URL, init: RequestInit) => Promise<Response>
  readonly clock?: Pick<Clock, 'now'>
}

/** The tokens of other servers are read from the store again. */
const MAX_SERVERS = 256

/**
 * OAuth as MCP specifies it: discovers the authorization server, requests and renews tokens, and asks for more scopes
 * when the server requires them. One provider serves any number of servers. Concurrent requests share an
 * authorization.
 *
 * Only public https addresses are contacted, and loopback if the server is on loopback. Redirects are not followed.
 * Requests fail with an {@link AuthorizationError}.
 *
 * @throws UsageError `ERR_MCP_OPTION` for invalid options
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
export function oauth(options: OAuthOptions): AuthProvider {
  checkOptions(options)
  const settings = settingsOf(options)
  const servers = new BoundedMap<string, ServerAuthorization>(MAX_SERVERS)
  const at = (resource: string): ServerAuthorization => {
    const known = servers.get(resource) ?? authorizationAt(new URL(resource), options, settings)
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

function settingsOf(options: OAuthOptions): AuthorizationSettings {
  const { clock = systemClock } = options
  return {
    grant: options.grant,
    clients: options.clients ?? [],
    clientMetadataUrl: options.clientMetadataUrl,
    registration: options.registration,
    askClient: options.askClient,
    scopes: options.scopes ?? [],
    store: options.store ?? memoryCredentials(),
    prover: options.dpop === undefined ? undefined : new DpopProver(options.dpop),
    now: () => clock.now(),
  }
}

function authorizationAt(
  server: URL,
  options: OAuthOptions,
  settings: AuthorizationSettings,
): ServerAuthorization {
  const policy = addressPolicy({
    server,
    trustedUrls: options.grant.trustedUrls.map((address) => new URL(address)),
    allowHosts: options.allowHosts ?? [],
  })
  const send: SendRequest = options.fetch ?? connectChecked(policy, options.resolve)
  const limits = { maxBytes: options.maxBytes ?? 262_144, timeoutMs: options.timeoutMs ?? 10_000 }
  const fetch = guardedFetch(policy, send, limits)
  const choose = options.chooseIssuer ?? ((issuers) => preferred(issuers, settings.clients))
  return new ServerAuthorization(settings, { server, fetch, policy, choose })
}

const preferred = (issuers: readonly string[], clients: readonly ClientCredentials[]): string =>
  issuers.find((issuer) => clients.some((client) => client.issuer === issuer)) ?? (issuers[0] as string)

function checkOptions({ clientMetadataUrl, grant, timeoutMs = 1, maxBytes = 1 }: OAuthOptions): void {
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
