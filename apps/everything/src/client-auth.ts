import type { AuthProvider } from '@jetway/client'
import {
  authorizationCode,
  clientCredentials,
  enterpriseManaged,
  oauth,
  type OAuthOptions,
  workloadIdentity,
} from '@jetway/client/oauth'

/** The credentials that a conformance scenario passes to the client in `MCP_CONFORMANCE_CONTEXT`. */
export interface Credentials {
  readonly client_id?: string
  readonly client_secret?: string
  readonly private_key_pem?: string
  readonly signing_algorithm?: string
  readonly idp_client_id?: string
  readonly idp_id_token?: string
  readonly idp_issuer?: string
  readonly idp_token_endpoint?: string
  readonly valid_jwt?: string
}

const REDIRECT = 'http://localhost:3000/callback'
const NAME = 'Jetway everything client'

/** The suite's authorization servers redirect immediately, without a user. */
const user = authorizationCode({
  redirectUri: REDIRECT,
  authorize: async (url, { signal }) => {
    const answer = await fetch(url, { redirect: 'manual', signal })
    await answer.body?.cancel()
    return answer.headers.get('location') ?? REDIRECT
  },
})

const interactive: OAuthOptions = {
  grant: user,
  clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
  registration: { clientName: NAME },
}

/** Selects the credentials based on the name of the scenario. */
export function authFor(scenario: string, context: Credentials): AuthProvider {
  return oauth(optionsFor(scenario, context))
}

function optionsFor(scenario: string, context: Credentials): OAuthOptions {
  const { client_id: clientId = '', client_secret: clientSecret, private_key_pem: pem } = context
  const given = { clientId, ...(clientSecret === undefined ? {} : { clientSecret }) }
  switch (scenario) {
    case 'auth/pre-registration':
      return { grant: user, clients: [given] }
    case 'auth/offline-access-scope':
      // The suite infers from the registration that the client refreshes tokens. The client has no metadata URL
      // here, so it must register.
      return { grant: user, registration: { clientName: NAME } }
    case 'auth/client-credentials-basic':
      return { grant: clientCredentials(), clients: [given] }
    case 'auth/client-credentials-jwt': {
      const privateKey = { key: pem ?? '', alg: context.signing_algorithm ?? 'ES256' }
      return { grant: clientCredentials(), clients: [{ clientId, privateKey }] }
    }
    case 'auth/wif-jwt-bearer':
      return { grant: workloadIdentity({ assertion: () => context.valid_jwt ?? '' }), clients: [given] }
    case 'auth/enterprise-managed-authorization':
      return { grant: enterprise(context), clients: [given] }
    case 'auth/dpop':
    case 'auth/dpop-nonce':
      return { ...interactive, dpop: {} }
    default:
      return interactive
  }
}

function enterprise(context: Credentials): ReturnType<typeof enterpriseManaged> {
  const {
    idp_issuer: issuer = '',
    idp_token_endpoint: tokenEndpoint = '',
    idp_client_id: clientId = '',
  } = context
  return enterpriseManaged({
    identityProvider: { issuer, tokenEndpoint, clientId },
    subjectToken: () => context.idp_id_token ?? '',
  })
}
