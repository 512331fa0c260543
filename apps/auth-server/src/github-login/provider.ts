import { randomUUID } from 'node:crypto'
import { type Configuration, errors, interactionPolicy, type JWK, Provider } from 'oidc-provider'
import { INTERACTION } from './interactions.ts'

export interface ProviderOptions {
  readonly issuer: string
  /** The address of the MCP server. It is the audience of every token. */
  readonly resource: string
  readonly scopes: readonly string[]
  /** Private keys with `kid` and `alg`. The first key is used for signing. */
  readonly keys: readonly JWK[]
  /** Keys for cookies. The first key is used for signing, and all keys for verification. */
  readonly cookieKeys: readonly string[]
  /** The store of logins and tokens. The default keeps them in memory. */
  readonly adapter?: Configuration['adapter']
  /** Fetches clients' metadata documents. @default the global `fetch` */
  readonly fetch?: Configuration['fetch']
}

/** Creates an authorization server for one MCP server. Its users log in elsewhere. */
export function createProvider(options: ProviderOptions): Provider {
  const { issuer, resource, scopes, keys, cookieKeys, adapter, fetch } = options
  const alg = keys[0]?.alg ?? 'ES256'
  const provider = new Provider(issuer, {
    ...(adapter && { adapter }),
    ...(fetch && { fetch }),
    jwks: { keys: [...keys] },
    cookies: { keys: [...cookieKeys] },
    clientDefaults: { id_token_signed_response_alg: alg as 'ES256' },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    responseTypes: ['code'],
    pkce: { required: () => true },
    // Hosts that run in a browser call the token endpoint from their own origin.
    clientBasedCORS: () => true,
    findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    interactions: { policy: createPolicy(), url: (_context, { uid }) => `${INTERACTION}/${uid}` },
    issueRefreshToken: (_context, client) => client.grantTypeAllowed('refresh_token'),
    ttl: { AccessToken: 600, AuthorizationCode: 60, Interaction: 600, Session: 86_400, Grant: 1_209_600 },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: (_context, client, token) => client.clientId === token.clientId,
      },
      registration: {
        enabled: true,
        idFactory: ({ oidc: { body } }) => {
          // Some hosts register only the scopes from their first challenge, and could never obtain others.
          if (body !== undefined) delete body['scope']
          return randomUUID()
        },
      },
      clientIdMetadataDocument: {
        enabled: true,
        ack: 'draft-02',
        allowFetch: (_context, url) => isPublicName(new URL(url).hostname),
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, asked) => {
          if (asked !== resource) throw new errors.InvalidTarget()
          return {
            scope: scopes.join(' '),
            audience: resource,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: alg as 'ES256' } },
          }
        },
      },
    },
  })
  // The server runs behind a proxy that terminates TLS.
  provider.proxy = issuer.startsWith('https:')
  return provider
}

/**
 * Asks the user in every authorization. By default, `oidc-provider` sends a code to a known client without
 * showing a page, so a link from another site would be enough to obtain one. See
 * https://github.com/advisories/GHSA-6x8h-498w-gv8c.
 */
function createPolicy(): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base()
  const { Check } = interactionPolicy
  policy
    .get('login')
    ?.checks.add(
      new Check('no_consent', 'The user must allow each authorization', 'consent_required', ({ oidc }) =>
        oidc.result?.consent === undefined ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
      ),
    )
  return policy
}

/** Refuses addresses in the server's own network, because anyone can choose a document's address. */
const isPublicName = (host: string): boolean =>
  /[a-z]$/i.test(host) && host.includes('.') && !/\.(?:localhost|local|internal|home\.arpa)$/i.test(host)
