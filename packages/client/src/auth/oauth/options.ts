import { type Clock, systemClock } from '@jetway/core/stores'
import { withDefaults } from '../../util/defaults.ts'
import type { ClientCredentials } from './clients.ts'
import { type DpopOptions, DpopProver } from './dpop.ts'
import type { Resolve } from './fetch.ts'
import type { Grant } from './grants.ts'
import { type CredentialStore, memoryCredentials } from './store.ts'

/** Metadata for dynamic registration. See https://www.rfc-editor.org/rfc/rfc7591#section-2. */
export interface RegistrationOptions {
  /** The client's name, as shown to users. */
  readonly clientName: string
  readonly clientUri?: string
  readonly logoUri?: string
  readonly contacts?: readonly string[]
  readonly softwareId?: string
  readonly softwareVersion?: string
}

/** The options of every OAuth provider. */
export interface OAuthOptions {
  /**
   * How tokens are requested: `authorizationCode`, `clientCredentials`, `workloadIdentity` or
   * `enterpriseManaged`.
   */
  readonly grant: Grant
  /** Clients that the user has registered. They take precedence over any other client id. */
  readonly clients?: readonly ClientCredentials[]
  /**
   * The https URL, with a path, of this client's metadata document. It is used as the client id for servers
   * that support metadata documents. See
   * https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/.
   */
  readonly clientMetadataUrl?: string
  /** Enables dynamic registration with servers for which no other client id is known. */
  readonly registration?: RegistrationOptions
  /** Asks the user for a client id, as a last resort. */
  readonly askClient?: (issuer: string) => Promise<ClientCredentials | undefined>
  /** Scopes to request in addition to those that the server requires. */
  readonly scopes?: readonly string[]
  /** Chooses one of several authorization servers. @default a server from `clients`, otherwise the first one */
  readonly chooseIssuer?: (issuers: readonly string[], resource: string) => string | Promise<string>
  readonly dpop?: DpopOptions
  /** The store for credentials. @default memoryCredentials() */
  readonly store?: CredentialStore
  /** Host names, without a port, that metadata may name over https even if they are not public. */
  readonly allowHosts?: readonly string[]
  /** The timeout for each response from an authorization server, in ms. @default 10_000 */
  readonly timeoutMs?: number
  /** The maximum size of a response from an authorization server, in bytes. @default 262_144 */
  readonly maxBytes?: number
  /** Replaces the DNS lookup. Every address that it returns is still checked. */
  readonly resolve?: Resolve
  /**
   * The function that sends requests to authorization servers. URLs are checked before it is called, but the
   * addresses to which they resolve are not.
   */
  readonly fetch?: (url: URL, init: RequestInit) => Promise<Response>
  readonly clock?: Pick<Clock, 'now'>
}

type Defaulted = 'clients' | 'scopes' | 'store' | 'allowHosts' | 'timeoutMs' | 'maxBytes' | 'clock'

export interface OAuthSettings
  extends Omit<OAuthOptions, Defaulted>, Required<Pick<OAuthOptions, Defaulted>> {
  readonly prover: DpopProver | undefined
}

export function resolveOAuthOptions(options: OAuthOptions): OAuthSettings {
  const { dpop } = options
  const resolved = withDefaults(options, {
    clients: [],
    scopes: [],
    store: memoryCredentials(),
    allowHosts: [],
    timeoutMs: 10_000,
    maxBytes: 262_144,
    clock: systemClock,
  })
  return { ...resolved, prover: dpop === undefined ? undefined : new DpopProver(dpop) }
}
