import * as oauth from 'oauth4webapi'
import { DEFAULT_METHODS, identityOf, type AuthMethod, type Identity } from './clients.ts'
import { AuthorizationError, fromLibrary } from './errors.ts'
import type { PlainFetch } from './fetch.ts'
import type { Grant } from './grants.ts'
import type { OAuthSettings, RegistrationOptions } from './options.ts'
import type { StoredClient } from './store.ts'

type RegistrationNeeds = Pick<Grant, 'grantTypes' | 'redirectUris'> & { readonly isBound: boolean }

/**
 * Returns the client for an authorization server: a client from `clients`, the metadata document's URL, a
 * dynamic registration, or a client that the user enters.
 *
 * @throws AuthorizationError `issuer` for credentials that belong to another issuer, `registration` if there is
 * no client id
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/client-registration
 */
export async function identify(
  settings: OAuthSettings,
  server: oauth.AuthorizationServer,
  needs: RegistrationNeeds,
  fetch: PlainFetch,
): Promise<Identity> {
  const given = await givenFor(settings, server.issuer)
  if (given !== undefined) return identityOf(given, server, false)
  if (settings.clientMetadataUrl !== undefined && server.client_id_metadata_document_supported === true)
    return identityOf({ clientId: settings.clientMetadataUrl, authMethod: 'none' }, server, false)
  const { registration } = settings
  if (registration !== undefined && server.registration_endpoint !== undefined)
    return await registered({ ...settings, registration }, server, needs, fetch)
  const asked = await settings.askClient?.(server.issuer)
  if (asked !== undefined) return identityOf(asked, server, false)
  throw new AuthorizationError(
    'registration',
    `No client id for ${server.issuer}: register a client there and set the option clients, or set the option registration`,
  )
}

/** Deletes a registration that the server no longer recognizes. */
export async function forget(settings: OAuthSettings, server: oauth.AuthorizationServer): Promise<void> {
  await settings.store.write('client', server.issuer, undefined)
}

async function givenFor({ clients, clientMetadataUrl, registration, store }: OAuthSettings, issuer: string) {
  const named = clients.find((client) => client.issuer === issuer)
  if (named !== undefined) return named
  const open = clients.find((client) => client.issuer === undefined)
  if (open !== undefined) {
    const bound = await store.read('issuer', open.clientId)
    if (bound === undefined) await store.write('issuer', open.clientId, issuer)
    if (bound === undefined || bound === issuer) return open
  }
  if (clients.length === 0 || (open === undefined && (clientMetadataUrl ?? registration) !== undefined))
    return undefined
  throw new AuthorizationError(
    'issuer',
    `The server now uses the authorization server ${issuer}, but the client's credentials belong to another one: set them in clients`,
  )
}

async function registered(
  settings: OAuthSettings & { registration: RegistrationOptions },
  server: oauth.AuthorizationServer,
  needs: RegistrationNeeds,
  fetch: PlainFetch,
): Promise<Identity> {
  const known = await settings.store.read('client', server.issuer)
  const client =
    known !== undefined && isUsable(known, needs) ? known : await register(settings, server, needs, fetch)
  const { clientId, clientSecret, authMethod } = client
  return identityOf(
    {
      clientId,
      ...(clientSecret === undefined ? {} : { clientSecret }),
      ...(authMethod === undefined ? {} : { authMethod: authMethod as AuthMethod }),
    },
    server,
    true,
  )
}

const isUsable = (client: StoredClient, { redirectUris }: RegistrationNeeds): boolean =>
  (client.secretExpiresAt === undefined || client.secretExpiresAt > Date.now()) &&
  redirectUris.every((uri) => client.redirectUris.includes(uri))

async function register(
  { registration, store }: OAuthSettings & { registration: RegistrationOptions },
  server: oauth.AuthorizationServer,
  needs: RegistrationNeeds,
  fetch: PlainFetch,
): Promise<StoredClient> {
  const method = methodToAskFor(server)
  const answer = await send(server, metadataOf(registration, needs, method), fetch)
  const granted = answer.token_endpoint_auth_method
  const secret = typeof answer.client_secret === 'string' ? answer.client_secret : undefined
  const expires = Number(answer.client_secret_expires_at ?? 0)
  const client: StoredClient = {
    clientId: answer.client_id,
    authMethod: typeof granted === 'string' ? granted : secret === undefined ? 'none' : method,
    redirectUris: needs.redirectUris,
    ...(secret === undefined ? {} : { clientSecret: secret }),
    ...(expires > 0 ? { secretExpiresAt: expires * 1000 } : {}),
  }
  await store.write('client', server.issuer, client)
  return client
}

/**
 * Returns the method to register. A public client cannot keep a secret, so it requests a method with a secret
 * only if the server requires one.
 */
function methodToAskFor(server: oauth.AuthorizationServer): AuthMethod {
  const supported = server.token_endpoint_auth_methods_supported ?? DEFAULT_METHODS
  const wanted: readonly AuthMethod[] = ['none', 'client_secret_basic', 'client_secret_post']
  return wanted.find((method) => supported.includes(method)) ?? 'none'
}

function metadataOf(
  said: RegistrationOptions,
  { grantTypes, redirectUris, isBound }: RegistrationNeeds,
  method: AuthMethod,
): Partial<oauth.Client> {
  return {
    client_name: said.clientName,
    grant_types: [...grantTypes],
    token_endpoint_auth_method: method,
    // https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/client-registration#application-type-and-redirect-uri-constraints
    application_type: redirectUris.every(isNative) ? 'native' : 'web',
    ...(redirectUris.length > 0 ? { redirect_uris: [...redirectUris], response_types: ['code'] } : {}),
    ...(isBound ? { dpop_bound_access_tokens: true } : {}),
    ...(said.clientUri === undefined ? {} : { client_uri: said.clientUri }),
    ...(said.logoUri === undefined ? {} : { logo_uri: said.logoUri }),
    ...(said.contacts === undefined ? {} : { contacts: [...said.contacts] }),
    ...(said.softwareId === undefined ? {} : { software_id: said.softwareId }),
    ...(said.softwareVersion === undefined ? {} : { software_version: said.softwareVersion }),
  }
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Returns whether the redirect leads to an application on the user's machine. */
export function isNative(redirectUri: string): boolean {
  const { protocol, hostname } = new URL(redirectUri)
  return protocol === 'http:' ? LOOPBACK.has(hostname) : protocol !== 'https:'
}

async function send(server: oauth.AuthorizationServer, metadata: Partial<oauth.Client>, fetch: PlainFetch) {
  try {
    const answer = await oauth.dynamicClientRegistrationRequest(server, metadata, {
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: async (url, init) => lenient(await fetch(url, init)),
    })
    return await oauth.processDynamicClientRegistrationResponse(answer)
  } catch (error) {
    throw fromLibrary('registration', `${server.issuer} did not register this client`, error, [])
  }
}

/**
 * Adds members that the library requires to a response, because many servers send status 200 or omit
 * `client_secret_expires_at`.
 */
async function lenient(answer: Response): Promise<Response> {
  if (!answer.ok) return answer
  const body = (await answer.json().catch(() => undefined)) as Record<string, unknown> | undefined
  return Response.json({ client_secret_expires_at: 0, ...body }, { status: 201 })
}
