import { UsageError } from '@jetway/core'
import { type Clock, systemClock } from '@jetway/core/stores'
import type { AuthProvider } from '../provider.ts'
import { addressPolicy } from './addresses.ts'
import type { ClientCredentials } from './clients.ts'
import { type DpopOptions, Prover } from './dpop.ts'
import { connectChecked, guardedFetch, type Resolve, type SendRequest } from './fetch.ts'
import type { Grant } from './grants.ts'
import { isNative, type RegistrationOptions } from './registration.ts'
import { type AuthorizationSettings, ServerAuthorization } from './server-authorization.ts'
import { type CredentialStore, memoryCredentials } from './store.ts'

/** How this client gets tokens for the servers that it connects to. */
export interface OAuthOptions {
  /** How a token is asked for: `authorizationCode`, `clientCredentials`, `workloadIdentity` or `enterpriseManaged`. */
  readonly grant: Grant
  /** Clients registered by hand, each for the authorization server that it names. They come before every other way. */
  readonly clients?: readonly ClientCredentials[]
  /**
   * The address of this client's metadata document: https, with a path. It is the client's id wherever authorization
   * servers read such documents: https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/
   */
  readonly clientMetadataUrl?: string
  /** What to register with, at authorization servers that know this client in no other way. Without it, none is made. */
  readonly registration?: RegistrationOptions
  /** Asks a person for a client's id, where there is no other way left. */
  readonly askClient?: (issuer: string) => Promise<ClientCredentials | undefined>
  /** Scopes to ask for beside those that the server asks for. */
  readonly scopes?: readonly string[]
  /** Which authorization server to use, where a server names several. By default one with `clients`, else the first. */
  readonly chooseIssuer?: (issuers: readonly string[], resource: string) => string | Promise<string>
  /** Binds tokens to a key. */
  readonly dpop?: DpopOptions
  /** Where credentials stay. @default memoryCredentials() */
  readonly store?: CredentialStore
  /** Hosts, without a port, that metadata may name although their addresses are not public, over https. */
  readonly allowHosts?: readonly string[]
  /** In ms, for each answer of an authorization server. @default 10_000 */
  readonly timeoutMs?: number
  /** Of each answer of an authorization server. @default 262_144 (256 KiB) */
  readonly maxBytes?: number
  /** The name look-up, for networks with one of their own. Every address that it gives is checked. */
  readonly resolve?: Resolve
  /**
   * Sends the requests to authorization servers in another way, such as through a proxy. Addresses are then checked as
   * far as their text goes, and what a name resolves to is the concern of this function.
   */
  readonly fetch?: (url: URL, init: RequestInit) => Promise<Response>
  readonly clock?: Pick<Clock, 'now'>
}

/** Servers whose tokens one provider holds at a time; those of the server used longest ago are read from the store again. */
const MAX_SERVERS = 256

/**
 * Authorization as MCP says it: what a server's challenge names is discovered, and a token is asked for, renewed and
 * widened when the server asks for that. One provider serves any number of servers and keeps their tokens apart; requests
 * that meet a challenge at the same time share what follows.
 *
 * Metadata comes from strangers: only https addresses in public networks are contacted, and loopback where the server
 * itself is there; redirects are not followed. What a request fails with is an {@link AuthorizationError}.
 *
 * @throws UsageError `ERR_MCP_OPTION` for options that cannot be meant
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
export function oauth(options: OAuthOptions): AuthProvider {
  checkOptions(options)
  const settings = settingsOf(options)
  const servers = new Map<string, ServerAuthorization>()
  const at = (resource: string): ServerAuthorization => {
    const known = servers.get(resource) ?? authorizationAt(new URL(resource), options, settings)
    servers.delete(resource)
    servers.set(resource, known)
    const [oldest] = servers.keys()
    if (servers.size > MAX_SERVERS && oldest !== undefined) servers.delete(oldest)
    return known
  }
  const isOwn = (resource: string, url: string): boolean => new URL(url).origin === new URL(resource).origin
  return {
    headers: async (request) =>
      isOwn(request.resource, request.url) ? at(request.resource).headers(request) : undefined,
    challenged: async (answer) =>
      isOwn(answer.resource, answer.url) ? at(answer.resource).challenged(answer) : 'give-up',
    answered: (answer) => at(answer.resource).answered(answer),
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
    prover: options.dpop === undefined ? undefined : new Prover(options.dpop),
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
    chosen: options.grant.chosen.map((address) => new URL(address)),
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
      throw new UsageError(
        'ERR_MCP_OPTION',
        'clientMetadataUrl has to be a complete https address with a path',
      )
  }
  for (const address of [...grant.chosen, ...grant.redirectUris])
    if (!URL.canParse(address)) throw new UsageError('ERR_MCP_OPTION', `"${address}" is no address`)
  // https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/security-considerations#communication-security
  for (const address of grant.redirectUris)
    if (new URL(address).protocol === 'http:' && !isNative(address))
      throw new UsageError(
        'ERR_MCP_OPTION',
        `The redirect address ${address} has to be https, or on loopback`,
      )
  if (!(timeoutMs > 0 && maxBytes > 0))
    throw new UsageError('ERR_MCP_OPTION', 'timeoutMs and maxBytes have to be positive')
}
