import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { PATHS } from './front.ts'
import { INTERACTION } from './interaction.ts'
import type { OidcProvider } from './load.ts'
import type { MemoryStorage, Storage } from './storage.ts'
import type { AuthorizationServer, AuthorizationServerOptions } from './types.ts'

const ALG = 'ES256'
const PUBLIC_CLIENT = { token_endpoint_auth_method: 'none', application_type: 'native' } as const
const GRANT_TYPES = ['authorization_code', 'refresh_token']
const DAY_S = 86_400

/** The options of the authorization server that the provider needs. */
export type ProviderSettings = Required<Omit<AuthorizationServerOptions, 'port' | 'lifetime'>>

/** The state of an authorization server that outlives its signing key. */
export interface ProviderState extends Pick<
  AuthorizationServer,
  'issuer' | 'client' | 'service' | 'lifetime'
> {
  readonly settings: ProviderSettings
  readonly storage: MemoryStorage
  /** Client metadata documents, keyed by URL. */
  readonly documents: Map<string, object>
  readonly cookieKeys: readonly string[]
}

/** Creates a provider with a new signing key. */
export function createProvider(
  { Provider }: typeof OidcProvider,
  state: ProviderState,
): OidcProvider.Provider {
  const { issuer, documents } = state
  const { keys: jwks, ...routes } = PATHS
  const provider = new Provider(issuer, {
    adapter: (kind: string): Storage => withLifetime(state, state.storage.of(kind)),
    jwks: { keys: [newKey()] },
    clients: clientsOf(state),
    clientDefaults: { id_token_signed_response_alg: ALG },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    responseTypes: ['code'],
    pkce: { required: () => true },
    cookies: { keys: [...state.cookieKeys] },
    routes: { ...routes, jwks },
    clientBasedCORS: () => true,
    findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    interactions: { url: (_context, { uid }) => `${INTERACTION}/${uid}` },
    // Like most authorization servers for MCP, issues refresh tokens even without the scope `offline_access`.
    issueRefreshToken: (_context, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: () => false,
    renderError: (context, { error, error_description: description }) => {
      context.type = 'text/plain'
      context.body = [error, description].filter(Boolean).join(': ')
    },
    // Never uses the network: a metadata document that has not been published does not exist.
    fetch: async (url) => {
      const document = documents.get(new Request(url).url)
      return document === undefined ? new Response(null, { status: 404 }) : Response.json(document)
    },
    features: featuresOf(state),
    ttl: ttlOf(state),
    formats: {
      customizers: {
        jwt: (_context, _token, { payload }) => {
          if (state.lifetime <= 0) payload['exp'] = Number(payload['iat']) + state.lifetime
        },
      },
    },
  })
  // Without a default scope, the user would consent to nothing. See
  // https://www.rfc-editor.org/rfc/rfc6749#section-3.3.
  provider.use((context, next) => {
    const { path, query } = context
    if (path === PATHS.authorization && query['scope'] === undefined)
      context.query = { ...query, scope: state.settings.scopes.join(' ') }
    return next()
  })
  return provider
}

/** Returns the lifetimes of everything that the provider issues, in seconds. */
function ttlOf(state: ProviderState): OidcProvider.Configuration['ttl'] {
  const ofToken = (): number => Math.max(1, state.lifetime)
  return {
    AccessToken: ofToken,
    ClientCredentials: ofToken,
    AuthorizationCode: 60,
    IdToken: 300,
    Interaction: 600,
    Session: DAY_S,
    Grant: 14 * DAY_S,
    RefreshToken: 14 * DAY_S,
  }
}

/** Sets the lifetime of opaque tokens when they are stored. */
function withLifetime(state: ProviderState, storage: Storage): Storage {
  return {
    ...storage,
    async upsert(id, payload, expiresIn) {
      const isExpired =
        ['AccessToken', 'ClientCredentials'].includes(String(payload['kind'])) && state.lifetime <= 0
      const exp = Number(payload['iat']) + state.lifetime
      await storage.upsert(id, isExpired ? { ...payload, exp } : payload, expiresIn)
    },
  }
}

function featuresOf(state: ProviderState): OidcProvider.Configuration['features'] {
  const { settings, service } = state
  const { registration, scopes, tokens } = settings
  return {
    devInteractions: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    clientCredentials: { enabled: true },
    dPoP: { enabled: true },
    introspection: {
      enabled: true,
      allowedPolicy: (_context, client) => client.clientId === service.clientId,
    },
    revocation: {
      enabled: true,
      allowedPolicy: (_context, client, token) => client.clientId === token.clientId,
    },
    registration: {
      enabled: registration.includes('dynamic'),
      idFactory: ({ oidc: { body } }) => {
        // Ignores the requested scopes. The official clients register with the scopes from their first challenge,
        // and could not obtain others later.
        if (body !== undefined) delete body['scope']
        return randomUUID()
      },
    },
    clientIdMetadataDocument: {
      enabled: registration.includes('metadata-document'),
      ack: 'draft-02',
      cacheDuration: { min: 1, max: 1 },
    },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      getResourceServerInfo: (_context, resource) => ({
        scope: scopes.join(' '),
        audience: resource,
        accessTokenFormat: tokens,
        ...(tokens === 'jwt' ? { jwt: { sign: { alg: ALG } } } : {}),
      }),
    },
  }
}

function clientsOf({ settings, client, service }: ProviderState): OidcProvider.ClientMetadata[] {
  return [
    {
      ...PUBLIC_CLIENT,
      client_id: client.clientId,
      redirect_uris: [...settings.redirectUris],
      grant_types: GRANT_TYPES,
    },
    {
      client_id: service.clientId,
      client_secret: service.clientSecret,
      redirect_uris: [],
      response_types: [],
      grant_types: ['client_credentials'],
    },
  ]
}

/** The metadata document at `clientMetadataUrl`. */
export const metadataDocument = (url: string, redirectUris: readonly string[]): object => ({
  ...PUBLIC_CLIENT,
  client_id: url,
  client_name: 'Test client',
  redirect_uris: [...redirectUris],
  grant_types: GRANT_TYPES,
})

function newKey(): OidcProvider.JWK {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    ...privateKey.export({ format: 'jwk' }),
    kid: randomUUID(),
    use: 'sig',
    alg: ALG,
  }
}
