import type { OAuthOptions } from '../options.ts'

/** The members that presets set. Others of `oauth` are added by the caller: `oauth({ ...auth0({ … }), scopes })`. */
export type Preset = Pick<OAuthOptions, 'issuer' | 'audience' | 'advertise'>

/**
 * Auth0. Without `audience`, the tenant needs the Resource Parameter Compatibility Profile; otherwise set the
 * identifier of the API.
 *
 * @param domain - such as `acme.eu.auth0.com`
 */
export const auth0 = ({
  domain,
  audience,
}: {
  readonly domain: string
  readonly audience?: string
}): Preset => ({
  // Auth0 writes its issuer with a slash.
  issuer: `https://${domain}/`,
  ...(audience !== undefined && { audience }),
})

/**
 * WorkOS AuthKit. Add the address of the server as a resource indicator in the dashboard.
 *
 * @param domain - such as `acme.authkit.app`
 */
export const authkit = ({ domain }: { readonly domain: string }): Preset => ({ issuer: `https://${domain}` })

/**
 * Clerk. Add the address of the server under "MCP servers" in the dashboard, so that tokens have an audience.
 *
 * @param domain - the Frontend API, such as `clerk.example.com`
 */
export const clerk = ({ domain }: { readonly domain: string }): Preset => ({ issuer: `https://${domain}` })

/**
 * Keycloak. The realm needs an audience mapper in a client scope, because tokens have no audience of the server by
 * themselves.
 *
 * @param url - of Keycloak, such as `https://sso.example.com`
 */
export const keycloak = ({ url, realm }: { readonly url: string; readonly realm: string }): Preset => ({
  issuer: `${url.replace(/\/$/, '')}/realms/${encodeURIComponent(realm)}`,
})

/**
 * Microsoft Entra, with tokens of version 2. Its tokens name the application by its client id, and scopes by
 * their short names, although clients request them with the Application ID URI.
 *
 * `tenant` is the id of the tenant: `common` has no fixed issuer. `clientId` is that of the application that
 * represents the server, and `applicationIdUri` for example the address of the server.
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
  audience: [clientId, applicationIdUri],
  advertise: (scope) => `${applicationIdUri.replace(/\/$/, '')}/${scope}`,
})
