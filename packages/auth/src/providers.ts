import type { OAuthOptions } from './options.ts'

/** The options that a preset sets. Add other options in the call: `oauth({ ...auth0({ … }), scopes })`. */
export type Preset = Pick<OAuthOptions, 'issuer' | 'audience' | 'advertise'>

// On 23 November 2026, each preset was checked against the page in its comment. None was tested with a tenant.

/**
 * Auth0. The tenant needs the Resource Parameter Compatibility Profile, and an API whose identifier is the
 * server's address. Without the profile, set `audience` to the identifier of the default API.
 *
 * @param domain - the tenant's domain, such as `acme.eu.auth0.com`
 * @see https://auth0.com/ai/docs/mcp/guides/resource-param-compatibility-profile
 */
export const auth0 = ({
  domain,
  audience,
}: {
  readonly domain: string
  readonly audience?: string
}): Preset => ({
  // Auth0's issuer ends with a slash.
  issuer: `https://${domain}/`,
  ...(audience !== undefined && { audience }),
})

/**
 * WorkOS AuthKit. Add the address of the server as an MCP resource indicator, so that tokens have it as their
 * audience.
 *
 * @param domain - the AuthKit domain, such as `acme.authkit.app`
 * @see https://workos.com/docs/authkit/mcp
 */
export const authkit = ({ domain }: { readonly domain: string }): Preset => ({ issuer: `https://${domain}` })

/**
 * Clerk. Add the address of the server under "MCP servers" in the dashboard, so that tokens have it as their
 * audience. Older applications issue opaque tokens until they are configured to generate JWTs.
 *
 * @param domain - the domain of the Frontend API, such as `clerk.example.com`
 * @see https://clerk.com/changelog/2026-01-08-jwt-oauth-access-tokens
 */
export const clerk = ({ domain }: { readonly domain: string }): Preset => ({ issuer: `https://${domain}` })

/**
 * Keycloak. The realm needs an audience mapper in a client scope, because by default, its tokens do not name
 * the server as their audience.
 *
 * @param url - the address of Keycloak, such as `https://sso.example.com`
 * @see https://www.keycloak.org/securing-apps/mcp-authz-server
 */
export const keycloak = ({ url, realm }: { readonly url: string; readonly realm: string }): Preset => ({
  issuer: `${url.replace(/\/$/, '')}/realms/${encodeURIComponent(realm)}`,
})

/**
 * Microsoft Entra. The server's application in Entra needs `requestedAccessTokenVersion` 2, because version 1
 * tokens have a different issuer. Tokens contain the application's client id and the short names of scopes,
 * although clients request the scopes with the Application ID URI.
 *
 * `tenant` is the tenant's id. Do not use `common`, because it has no fixed issuer. `clientId` is the id of the
 * server's application, and `applicationIdUri` is its Application ID URI, for example the server's address.
 *
 * @see https://learn.microsoft.com/entra/identity-platform/access-token-claims-reference
 */
export const entra = ({
  tenant,
  clientId,
  applicationIdUri,
}: {
  readonly tenant: string
  readonly clientId: string
  readonly applicationIdUri: string
}): Preset => ({
  issuer: `https://login.microsoftonline.com/${tenant}/v2.0`,
  audience: clientId,
  advertise: (scope) => `${applicationIdUri.replace(/\/$/, '')}/${scope}`,
})
