import type { AuthorizationServer } from '@jetway/testing/authorization-server'
import type { OAuthClientMetadata } from '@modelcontextprotocol/client'
import { REDIRECT } from './protected.ts'

/** The members of `OAuthClientProvider` that the official clients v1 and v2 share. */
export interface OfficialProvider {
  readonly redirectUrl: string
  readonly clientMetadataUrl?: string
  readonly clientMetadata: OAuthClientMetadata
  // Each package has its own types for stored values, and reads only its own values. `never` is assignable to
  // all types.
  clientInformation(): never
  saveClientInformation(information: unknown): void
  tokens(): never
  saveTokens(tokens: unknown): void
  redirectToAuthorization(url: URL): Promise<void>
  saveCodeVerifier(verifier: string): void
  codeVerifier(): string
  saveDiscoveryState(state: unknown): void
  discoveryState(): never
}

/** A host's provider. Its user signs in when the client redirects. */
export interface OfficialHost {
  readonly provider: OfficialProvider
  /** The scopes in each redirect. */
  readonly asked: string[]
  /** Returns the query parameters of the redirect from the authorization server. */
  readonly back: () => URLSearchParams
}

/** @param document - whether to register with a metadata document instead of dynamically */
export function officialHost(issuer: AuthorizationServer, document: string | undefined): OfficialHost {
  const asked: string[] = []
  let back = new URLSearchParams()
  let information: unknown
  let tokens: unknown
  let verifier = ''
  let discovery: unknown
  return {
    asked,
    back: () => back,
    provider: {
      redirectUrl: REDIRECT,
      ...(document !== undefined && { clientMetadataUrl: document }),
      clientMetadata: {
        client_name: 'Official client',
        redirect_uris: [REDIRECT],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        application_type: 'native',
      },
      clientInformation: () => information as never,
      saveClientInformation: (saved) => void (information = saved),
      tokens: () => tokens as never,
      saveTokens: (saved) => void (tokens = saved),
      async redirectToAuthorization(url) {
        asked.push(url.searchParams.get('scope') ?? '')
        back = new URL(await issuer.signIn(url)).searchParams
      },
      saveCodeVerifier: (saved) => void (verifier = saved),
      codeVerifier: () => verifier,
      saveDiscoveryState: (saved) => void (discovery = saved),
      discoveryState: () => discovery as never,
    },
  }
}
