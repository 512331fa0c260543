import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { UsageError } from '@jetway/core'
import { followSignIn } from './browser.ts'
import { Front } from './front.ts'
import { INTERACTION, interact } from './interaction.ts'
import { issueTokens } from './issue.ts'
import { loadOidcProvider, type OidcProvider } from './load.ts'
import { createProvider, metadataDocument, type ProviderSettings, type ProviderState } from './provider.ts'
import { MemoryStorage } from './storage.ts'
import type { AuthorizationServer, AuthorizationServerOptions } from './types.ts'

const CLIENT_METADATA_URL = 'https://client.test/metadata.json'
const REDIRECT_URIS = ['127.0.0.1', 'localhost'].flatMap((host) =>
  ['/callback', '/oauth/callback'].map((path) => `http://${host}${path}`),
)

/**
 * Starts an authorization server on a port of 127.0.0.1, based on `oidc-provider` 9. It supports
 * authorization codes with PKCE, resource indicators, refresh tokens, introspection, revocation, dynamic
 * registration, client metadata documents, DPoP, and `iss` in its responses. It signs in users without a
 * browser, and keeps everything in memory. Use it only in tests.
 *
 * On Node.js 20, it adds the `URL.parse` that `oidc-provider` needs, and `oidc-provider` prints a warning
 * about the version.
 *
 * @throws UsageError `ERR_MCP_OPTION` if `oidc-provider` is not installed, or without a scope or redirect URI
 */
export async function startAuthorizationServer(
  options: AuthorizationServerOptions,
): Promise<AuthorizationServer> {
  const settings: ProviderSettings = {
    scopes: options.scopes,
    tokens: options.tokens ?? 'jwt',
    registration: options.registration ?? ['metadata-document', 'dynamic'],
    redirectUris: options.redirectUris ?? REDIRECT_URIS,
  }
  if (settings.scopes.length === 0 || settings.redirectUris.length === 0)
    throw new UsageError('ERR_MCP_OPTION', 'Set at least one scope and one redirect URI')
  const library = await loadOidcProvider()
  const http = createServer()
  await once(http.listen(options.port ?? 0, '127.0.0.1'), 'listening')
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const state: ProviderState = {
    issuer,
    settings,
    storage: new MemoryStorage(),
    documents: new Map([[CLIENT_METADATA_URL, metadataDocument(CLIENT_METADATA_URL, settings.redirectUris)]]),
    cookieKeys: [secret()],
    client: { clientId: 'registered-by-hand', issuer },
    service: { clientId: 'service', clientSecret: secret(), issuer },
    lifetime: options.lifetime ?? 300,
  }
  return running(library, state, http)
}

function running(library: typeof OidcProvider, state: ProviderState, http: Server): AuthorizationServer {
  const { issuer, client, service, storage, settings } = state
  let provider = createProvider(library, state)
  const front = new Front((request, response) => {
    const isInteraction = request.url?.startsWith(`${INTERACTION}/`) === true
    if (isInteraction) void interact(provider, request, response)
    else void provider.callback()(request, response)
  })
  http.on('request', (request, response) => front.handle(request, response))
  const signIn: AuthorizationServer['signIn'] = (url, how = {}) => followSignIn(issuer, url, how)
  const close = async (): Promise<void> => {
    if (!http.listening) return
    http.close()
    http.closeAllConnections()
    await once(http, 'close')
  }
  return {
    issuer,
    client,
    service,
    clientMetadataUrl: CLIENT_METADATA_URL,
    get lifetime() {
      return state.lifetime
    },
    set lifetime(seconds) {
      state.lifetime = seconds
    },
    signIn,
    issue: (request) =>
      issueTokens({ issuer, client, signIn }, { scopes: settings.scopes, ...request }, settings.redirectUris),
    revoke: (user) => storage.revoke(user),
    rotateKeys: () => void (provider = createProvider(library, state)),
    disrupt: (endpoint, disruption) => front.disrupt(endpoint, disruption),
    restore: () => front.restore(),
    requests: (endpoint) => front.requests(endpoint),
    publish: (url, document) => void state.documents.set(url, document),
    close,
    [Symbol.asyncDispose]: close,
  }
}

const secret = (): string => randomBytes(24).toString('hex')
