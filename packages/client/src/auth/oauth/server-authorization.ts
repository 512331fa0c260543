import type { TokenEndpointResponse } from 'oauth4webapi'
import { isToken } from '../../util/headers.ts'
import { abortable } from '../../util/promises.ts'
import type { AuthResponse, AuthHeaders, AuthRequest } from '../provider.ts'
import { readChallenge, scopesOf, type Challenge } from './challenge.ts'
import { discover, type Discovered, type Discovery } from './discovery.ts'
import { AuthorizationError } from './errors.ts'
import type { OAuthSettings } from './options.ts'
import { forget, identify } from './registration.ts'
import type { StoredTokens } from './store.ts'
import { TokenEndpoint } from './token-endpoint.ts'

/**
 * How long before its expiry a token is refreshed, in ms. A short-lived token is refreshed in the second half
 * of its lifetime.
 */
const EARLY_MS = 30_000
/** The age below which a rejected token is not replaced, in ms, because a new token would not help. */
const REFUSED_MS = 60_000
/**
 * The maximum number of requested scopes. It is limited because a server could require new scopes endlessly.
 */
const MAX_SCOPES = 100

/** The tokens of one server. */
export class ServerAuthorization {
  readonly #settings: OAuthSettings
  readonly #discovery: Discovery
  readonly #name: string
  #tokens: StoredTokens | undefined
  /** All scopes requested so far. */
  #scopes: readonly string[] = []
  /** A running authorization, shared by all requests. */
  #work: Promise<void> | undefined
  #isLoaded = false
  /** Whether refreshing may help. This is false after a refreshed token has been rejected. */
  #isRefreshable = true
  #renewAt = Infinity
  /** The current token, as long as no request with it has succeeded. */
  #untried: { readonly since: number; readonly isRefreshed: boolean } | undefined

  constructor(settings: OAuthSettings, discovery: Discovery) {
    this.#settings = settings
    this.#discovery = discovery
    this.#name = discovery.server.href
  }

  async headers(request: AuthRequest): Promise<AuthHeaders | undefined> {
    if (!this.#isLoaded || this.#isEnding()) await this.#share(() => this.#prepare(), request.signal)
    if (this.#tokens === undefined) return undefined
    const { accessToken, tokenType } = this.#tokens
    const { prover } = this.#settings
    if (tokenType === 'bearer' || prover === undefined) return { authorization: `Bearer ${accessToken}` }
    return {
      authorization: `DPoP ${accessToken}`,
      dpop: await prover.proof(request.method, request.url, accessToken),
    }
  }

  onResponse({ url, headers, sent }: AuthResponse): void {
    this.#settings.prover?.learn(url, headers)
    if (this.#isCurrent(sent)) this.#untried = undefined
  }

  async onChallenge(answer: AuthResponse): Promise<'retry' | 'give-up'> {
    const challenge = await readChallenge(answer.headers)
    const isNewNonce = this.#settings.prover?.learn(answer.url, answer.headers) === true
    if (challenge.error === 'use_dpop_nonce' && sentToken(answer.sent) !== undefined)
      return isNewNonce ? 'retry' : 'give-up'
    // Another request has already obtained a new token for the same challenge.
    if (this.#tokens !== undefined && !this.#isCurrent(answer.sent)) return 'retry'
    return answer.status === 401 ? this.#unauthorized(challenge, answer) : this.#forbidden(challenge, answer)
  }

  async #unauthorized(challenge: Challenge, { signal }: AuthResponse): Promise<'retry' | 'give-up'> {
    const { since = -Infinity, isRefreshed = false } = this.#untried ?? {}
    if (!isRefreshed && this.#settings.clock.now() - since < REFUSED_MS) return 'give-up'
    // Refreshing again would yield another token that the server rejects.
    if (isRefreshed) this.#isRefreshable = false
    await this.#share(() => this.#reauthorize(challenge), signal)
    return 'retry'
  }

  /** https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#step-up-authorization-flow */
  async #forbidden(challenge: Challenge, { signal }: AuthResponse): Promise<'retry' | 'give-up'> {
    if (challenge.error !== 'insufficient_scope' || this.#tokens === undefined) return 'give-up'
    const scopes = union(this.#scopes, challenge.scopes)
    // A scope that was not granted before will not be granted this time.
    if (scopes.length === this.#scopes.length || scopes.length > MAX_SCOPES) return 'give-up'
    await this.#share(
      async () => this.#obtain(await discover(this.#discovery, challenge.resourceMetadata), scopes),
      signal,
    )
    return 'retry'
  }

  /**
   * Runs one authorization at a time. A caller that joins a running authorization checks afterwards whether
   * anything remains to be done.
   */
  async #share(work: () => Promise<void>, signal: AbortSignal | undefined): Promise<void> {
    this.#work ??= work().finally(() => {
      this.#work = undefined
    })
    signal?.throwIfAborted()
    await abortable(this.#work, signal)
  }

  #isEnding(): boolean {
    return this.#renewAt <= this.#settings.clock.now()
  }

  #isCurrent(sent: AuthHeaders): boolean {
    return this.#tokens !== undefined && sentToken(sent) === this.#tokens.accessToken
  }

  async #prepare(): Promise<void> {
    if (!this.#isLoaded) {
      const stored = await this.#settings.store.read('tokens', this.#name)
      this.#hold(stored !== undefined && (await this.#isUsable(stored)) ? stored : undefined)
      this.#scopes = stored?.scopes ?? []
      this.#isLoaded = true
    }
    if (!this.#isEnding() || this.#tokens === undefined) return
    const { refreshToken, expiresAt = 0 } = this.#tokens
    // The user is asked only after a challenge.
    if (refreshToken === undefined && this.#settings.grant.isInteractive) return
    try {
      await this.#renew(this.#tokens)
    } catch (error) {
      // The old token is still valid, and the next attempt may succeed.
      if (!(error instanceof AuthorizationError) || expiresAt <= this.#settings.clock.now()) throw error
    }
  }

  async #renew({ issuer, resourceMetadata }: StoredTokens): Promise<void> {
    const found = await discover(this.#discovery, resourceMetadata)
    // The server now uses another authorization server, so the client waits for a challenge from the server.
    if (found.authorizationServer.issuer !== issuer) return
    if (await this.#refresh(found)) return
    if (!this.#settings.grant.isInteractive) await this.#obtain(found, this.#scopes)
  }

  /** Returns whether the stored access token can be sent, and whether this process has its key. */
  async #isUsable({ accessToken, tokenType, keyThumbprint }: StoredTokens): Promise<boolean> {
    if (!isToken(accessToken)) return false
    if (tokenType === 'bearer') return this.#settings.prover?.isRequired !== true
    return keyThumbprint === (await this.#settings.prover?.keys())?.thumbprint
  }

  async #reauthorize(challenge: Challenge): Promise<void> {
    const found = await discover(this.#discovery, challenge.resourceMetadata)
    if (await this.#refresh(found)) return
    const wanted = challenge.scopes.length > 0 ? challenge.scopes : (found.scopesSupported ?? [])
    await this.#obtain(found, union(this.#scopes, wanted, this.#settings.scopes).slice(0, MAX_SCOPES))
  }

  /**
   * Requests new tokens with the refresh token. Returns whether the request succeeded. An invalid refresh token
   * is deleted.
   */
  async #refresh(found: Discovered): Promise<boolean> {
    const tokens = this.#tokens
    if (tokens?.refreshToken === undefined || !this.#isRefreshable) return false
    const { authorizationServer: server, resource } = found
    if (tokens.issuer !== server.issuer) return false
    const { refreshToken } = tokens
    const endpoint = await this.#endpoint(found)
    if (endpoint.identity.clientId !== tokens.clientId) return false
    try {
      const parameters = { refresh_token: refreshToken, resource }
      const answer = await endpoint.request('refresh_token', parameters, { secrets: [tokens.accessToken] })
      await this.#take(found, endpoint, { refresh_token: refreshToken, ...answer }, this.#scopes)
      this.#untried = { since: this.#settings.clock.now(), isRefreshed: true }
      return true
    } catch (error) {
      if (!(error instanceof AuthorizationError) || !ENDS_REFRESH.has(error.oauthError ?? '')) throw error
      await this.#forgetUnknown(error, endpoint)
      await this.#keep(undefined)
      return false
    }
  }

  /**
   * Forgets a registration that the server no longer recognizes, so that the next authorization registers the
   * client again.
   */
  async #forgetUnknown(error: unknown, { identity, server }: TokenEndpoint): Promise<void> {
    const isUnknown = error instanceof AuthorizationError && UNKNOWN_CLIENT.has(error.oauthError ?? '')
    if (isUnknown && identity.isRegistered) await forget(this.#settings, server)
  }

  async #obtain(found: Discovered, scopes: readonly string[]): Promise<void> {
    const { grant, prover } = this.#settings
    const endpoint = await this.#endpoint(found)
    const keyThumbprint = this.#isBound(found) ? (await prover?.keys())?.thumbprint : undefined
    try {
      const request = { found, endpoint, scopes, discovery: this.#discovery, keyThumbprint }
      await this.#take(found, endpoint, await grant.obtain(request), scopes)
    } catch (error) {
      await this.#forgetUnknown(error, endpoint)
      throw error
    }
  }

  async #endpoint(found: Discovered): Promise<TokenEndpoint> {
    const { grant, prover } = this.#settings
    const isBound = this.#isBound(found)
    const { fetch } = this.#discovery
    const identity = await identify(this.#settings, found.authorizationServer, { ...grant, isBound }, fetch)
    return new TokenEndpoint(found.authorizationServer, identity, fetch, isBound ? prover : undefined)
  }

  /** https://www.rfc-editor.org/rfc/rfc9449#section-5.1 */
  #isBound({ authorizationServer }: Discovered): boolean {
    const { prover } = this.#settings
    if (prover === undefined) return false
    if (authorizationServer.dpop_signing_alg_values_supported?.includes(prover.alg) === true) return true
    if (!prover.isRequired) return false
    throw new AuthorizationError(
      'dpop',
      `${authorizationServer.issuer} does not announce DPoP with ${prover.alg}: set dpop.mode to 'when-supported' to connect without it`,
    )
  }

  async #take(
    { authorizationServer: { issuer }, resourceMetadata }: Discovered,
    { identity }: TokenEndpoint,
    answer: TokenEndpointResponse,
    scopes: readonly string[],
  ): Promise<void> {
    const { prover, clock } = this.#settings
    const isBound = answer.token_type === 'dpop'
    this.#scopes = union(scopes, scopesOf(answer.scope)).slice(0, MAX_SCOPES)
    const thumbprint = isBound ? (await prover?.keys())?.thumbprint : undefined
    await this.#keep({
      issuer,
      clientId: identity.clientId,
      accessToken: answer.access_token,
      tokenType: isBound ? 'dpop' : 'bearer',
      scopes: this.#scopes,
      ...(thumbprint === undefined ? {} : { keyThumbprint: thumbprint }),
      ...(resourceMetadata === undefined ? {} : { resourceMetadata }),
      ...(answer.refresh_token === undefined ? {} : { refreshToken: answer.refresh_token }),
      ...(answer.expires_in === undefined ? {} : { expiresAt: clock.now() + answer.expires_in * 1000 }),
    })
    this.#untried = { since: clock.now(), isRefreshed: false }
    this.#isRefreshable = true
  }

  #hold(tokens: StoredTokens | undefined): void {
    const now = this.#settings.clock.now()
    const left = (tokens?.expiresAt ?? Infinity) - now
    this.#tokens = tokens
    this.#untried = undefined
    this.#renewAt = now + Math.max(left - EARLY_MS, left / 2)
  }

  async #keep(tokens: StoredTokens | undefined): Promise<void> {
    this.#hold(tokens)
    await this.#settings.store.write('tokens', this.#name, tokens)
  }
}

/**
 * The error codes after which the refresh token is invalid. See
 * https://www.rfc-editor.org/rfc/rfc6749#section-5.2.
 */
const ENDS_REFRESH: ReadonlySet<string> = new Set([
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'invalid_scope',
])
const UNKNOWN_CLIENT: ReadonlySet<string> = new Set(['invalid_client', 'unauthorized_client'])

const union = (...lists: readonly (readonly string[])[]): readonly string[] => [...new Set(lists.flat())]

const sentToken = (sent: AuthHeaders): string | undefined => sent['authorization']?.replace(/^\S+ /, '')
