import type { AuthorizationServer } from 'oauth4webapi'
import { identityOf, type ClientCredentials } from './clients.ts'
import { serverMetadataOf } from './discovery.ts'
import { AuthorizationError } from './errors.ts'
import { JWT_BEARER, scoped, type Grant, type GrantRequest } from './grants.ts'
import { TokenEndpoint } from './token-endpoint.ts'

/** What an assertion is needed for. */
export interface AssertionContext {
  /** The audience: https://www.rfc-editor.org/rfc/rfc7523#section-3 */
  readonly issuer: string
  readonly tokenEndpoint: string | undefined
  /** The server that the token will be for. */
  readonly resource: string
}

/**
 * The client acts for itself, with a secret or a key: give it in `clients`.
 *
 * @see https://modelcontextprotocol.io/extensions/auth/oauth-client-credentials
 */
export function clientCredentials(): Grant {
  return {
    grantTypes: ['client_credentials'],
    redirectUris: [],
    isAttended: false,
    chosen: [],
    obtain: (request) => request.endpoint.request('client_credentials', scoped(request)),
  }
}

/**
 * The platform that runs this workload vouches for it by a signed assertion, such as a service account's token. It is
 * asked for anew each time that a token is needed; a refused one is not tried again.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7523#section-2.1
 */
export function workloadIdentity(options: {
  assertion(context: AssertionContext): string | Promise<string>
}): Grant {
  return {
    grantTypes: [JWT_BEARER],
    redirectUris: [],
    isAttended: false,
    chosen: [],
    obtain: async (request) => {
      const { issuer, token_endpoint: tokenEndpoint } = request.found.authorizationServer
      const { resource } = request.found
      const assertion = await options.assertion({ issuer, tokenEndpoint, resource })
      return await request.endpoint.request(JWT_BEARER, { ...scoped(request), assertion })
    },
  }
}

/** An enterprise's own identity provider, which decides for its users which servers they may use. */
export interface EnterpriseOptions {
  readonly identityProvider: {
    readonly issuer: string
    /** By default, found in the metadata of the issuer. */
    readonly tokenEndpoint?: string
  } & Pick<ClientCredentials, 'clientId' | 'clientSecret' | 'privateKey' | 'authMethod'>
  /** The user's identity assertion from single sign-on, not expired. */
  subjectToken(): string | Promise<string>
  /** @default 'urn:ietf:params:oauth:token-type:id_token' */
  readonly subjectTokenType?: string
}

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag'
const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token'

/**
 * The user's identity provider gives a grant for the server's authorization server, which gives a token for that: nobody
 * is asked again. The client at the authorization server goes into `clients`.
 *
 * @see https://modelcontextprotocol.io/extensions/auth/enterprise-managed-authorization
 */
export function enterpriseManaged(options: EnterpriseOptions): Grant {
  const { issuer, tokenEndpoint } = options.identityProvider
  return {
    grantTypes: [JWT_BEARER],
    redirectUris: [],
    isAttended: false,
    chosen: tokenEndpoint === undefined ? [issuer] : [issuer, tokenEndpoint],
    obtain: async (request) => {
      const assertion = await identityAssertion(options, request)
      return await request.endpoint.request(JWT_BEARER, { ...scoped(request), assertion })
    },
  }
}

/** https://datatracker.ietf.org/doc/draft-ietf-oauth-identity-assertion-authz-grant/ */
async function identityAssertion(options: EnterpriseOptions, request: GrantRequest): Promise<string> {
  const { identityProvider } = options
  const { found, discovery } = request
  const server = await providerMetadata(identityProvider, request)
  const { issuer: _issuer, tokenEndpoint: _endpoint, ...credentials } = identityProvider
  const identity = await identityOf(credentials, server, false)
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
    // What comes back is no access token, and says so: https://www.rfc-editor.org/rfc/rfc8693#section-2.2.1
    { n_a: () => undefined },
  )
  if (answer['issued_token_type'] === ID_JAG) return answer.access_token
  throw new AuthorizationError(
    'token',
    `${server.issuer} gave another token than the grant that was asked for`,
  )
}

async function providerMetadata(
  { issuer, tokenEndpoint }: EnterpriseOptions['identityProvider'],
  { discovery }: GrantRequest,
): Promise<AuthorizationServer> {
  // Endpoints given by hand have no list of methods, so what fits the credentials is used.
  if (tokenEndpoint !== undefined) return { issuer, token_endpoint: tokenEndpoint }
  return await serverMetadataOf(discovery, issuer)
}
