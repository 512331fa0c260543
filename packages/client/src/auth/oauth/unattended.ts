import { identityOf, type ClientCredentials } from './clients.ts'
import { serverMetadataOf } from './discovery.ts'
import { AuthorizationError } from './errors.ts'
import type { Grant, GrantRequest } from './grants.ts'
import { TokenEndpoint } from './token-endpoint.ts'

/** The audience and purpose of an assertion. */
export interface AssertionContext {
  /** The audience. See https://www.rfc-editor.org/rfc/rfc7523#section-3. */
  readonly issuer: string
  readonly tokenEndpoint: string | undefined
  /** The server that will accept the token. */
  readonly resource: string
}

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** Creates a grant that does not ask a user. */
const unattended = (
  grantType: string,
  parameters: (request: GrantRequest) => Promise<Readonly<Record<string, string>>>,
  trustedUrls: readonly string[] = [],
): Grant => ({
  grantTypes: [grantType],
  redirectUris: [],
  isInteractive: false,
  trustedUrls,
  obtain: async (request) =>
    request.endpoint.request(grantType, { ...scoped(request), ...(await parameters(request)) }),
})

const scoped = ({ found, scopes }: GrantRequest): Record<string, string> => ({
  resource: found.resource,
  ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
})

/**
 * Creates a grant in which the client authenticates as itself, with a secret or key from `clients`.
 *
 * @see https://modelcontextprotocol.io/extensions/auth/oauth-client-credentials
 */
export function clientCredentials(): Grant {
  return unattended('client_credentials', async () => ({}))
}

/**
 * Creates a grant in which the platform signs an assertion for this workload, such as a service account token.
 * A new assertion is requested for each token.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7523#section-2.1
 */
export function workloadIdentity(options: {
  assertion(context: AssertionContext): string | Promise<string>
}): Grant {
  return unattended(JWT_BEARER, async ({ found }) => {
    const { issuer, token_endpoint: tokenEndpoint } = found.authorizationServer
    return { assertion: await options.assertion({ issuer, tokenEndpoint, resource: found.resource }) }
  })
}

/** The options of enterprise-managed authorization. */
export interface EnterpriseOptions {
  readonly identityProvider: {
    readonly issuer: string
    /** The identity provider's token endpoint. @default the endpoint in the issuer's metadata */
    readonly tokenEndpoint?: string
  } & Pick<ClientCredentials, 'clientId' | 'clientSecret' | 'privateKey' | 'authMethod'>
  /** Returns the user's current identity assertion from single sign-on. */
  subjectToken(): string | Promise<string>
  /** The type of the identity assertion. @default 'urn:ietf:params:oauth:token-type:id_token' */
  readonly subjectTokenType?: string
}

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag'
const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token'

/**
 * Creates a grant in which the enterprise's identity provider authorizes the client for the server's
 * authorization server, without asking the user. Add the client for that authorization server to `clients`.
 *
 * @see https://modelcontextprotocol.io/extensions/auth/enterprise-managed-authorization
 */
export function enterpriseManaged(options: EnterpriseOptions): Grant {
  const { issuer, tokenEndpoint } = options.identityProvider
  return unattended(
    JWT_BEARER,
    async (request) => ({ assertion: await identityAssertion(options, request) }),
    tokenEndpoint === undefined ? [issuer] : [issuer, tokenEndpoint],
  )
}

/** https://datatracker.ietf.org/doc/draft-ietf-oauth-identity-assertion-authz-grant/ */
async function identityAssertion(options: EnterpriseOptions, request: GrantRequest): Promise<string> {
  const { identityProvider } = options
  const { found, discovery } = request
  const { issuer, tokenEndpoint } = identityProvider
  const server =
    tokenEndpoint === undefined
      ? await serverMetadataOf(discovery, issuer)
      : { issuer, token_endpoint: tokenEndpoint }
  const identity = await identityOf(identityProvider, server, false)
  const endpoint = new TokenEndpoint(server, identity, discovery.fetch)
  const answer = await endpoint.request(
    TOKEN_EXCHANGE,
    {
      ...scoped(request),
      requested_token_type: ID_JAG,
      audience: found.authorizationServer.issuer,
      subject_token: await options.subjectToken(),
      subject_token_type: options.subjectTokenType ?? ID_TOKEN,
    },
    // The result is not an access token. See https://www.rfc-editor.org/rfc/rfc8693#section-2.2.1.
    { recognizedTokenTypes: { n_a: () => undefined } },
  )
  if (answer['issued_token_type'] === ID_JAG) return answer.access_token
  throw new AuthorizationError(
    'token',
    `${server.issuer} issued another type of token than the requested ID-JAG`,
  )
}
