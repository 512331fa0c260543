import * as oauth from 'oauth4webapi'
import type { AuthAnswer, AuthHeaders, AuthRequest } from '../provider.ts'
import { readChallenge, scopesOf, type Challenge } from './challenge.ts'
import { discover, type Discovered, type Discovery } from './discovery.ts'
import type { Prover } from './dpop.ts'
import { AuthorizationError } from './errors.ts'
import type { Grant } from './grants.ts'
import { forget, identify, type ClientSettings } from './registration.ts'
import type { StoredTokens } from './store.ts'
import { TokenEndpoint } from './token-endpoint.ts'

export interface AuthorizationSettings extends ClientSettings {
  readonly grant: Grant
  readonly scopes: readonly string[]
  readonly prover: Prover | undefined
  readonly now: () => number
}

/** A token that ends within this time, or the second half of its life if that is shorter, is renewed before it is used. */
const EARLY_MS = 30_000
/** A token that a server refuses right after it was issued will not be taken if it is issued once more. */
const REFUSED_MS = 60_000
/** Scopes beyond it are not asked for: a server could name new ones without end. */
const MAX_SCOPES = 100

/** The authorization of this client at one server: its tokens, and what gets new ones. */
export class ServerAuthorization {
  readonly #settings: AuthorizationSettings
  readonly #discovery: Discovery
  readonly #name: string
  #tokens: StoredTokens | undefined
  /** Asked for so far, also by tokens that have ended. */
  #scopes: readonly string[] = []
  /** What is under way, shared by every request that waits for it. */
  #work: Promise<void> | undefined
  #isLoaded = false
  /** Whether the refresh token, if there is one, is worth trying. */
  #isRefreshable = true
  /** When the token is to be renewed. */
  #renewAt = Infinity
  /** The token that no request has been answered with yet: since when there is one, and whether a refresh gave it. */
  #untried: { readonly since: number; readonly isRefreshed: boolean } | undefined

  constructor(settings: AuthorizationSettings, discovery: Discovery) {
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

  answered({ url, headers, sent }: AuthAnswer): void {
    this.#settings.prover?.learn(url, headers)
    if (this.#isCurrent(sent)) this.#untried = undefined
  }

  async challenged(answer: AuthAnswer): Promise<'retry' | 'give-up'> {
    const challenge = await readChallenge(answer.headers)
    const isNewNonce = this.#settings.prover?.learn(answer.url, answer.headers) === true
    if (challenge.error === 'use_dpop_nonce' && sentToken(answer.sent) !== undefined)
      return isNewNonce ? 'retry' : 'give-up'
    // Somebody else's request has met the same challenge, and there is another token by now.
    if (this.#tokens !== undefined && !this.#isCurrent(answer.sent)) return 'retry'
    return answer.status === 401 ? this.#unauthorized(challenge, answer) : this.#forbidden(challenge, answer)
  }

  async #unauthorized(challenge: Challenge, { signal }: AuthAnswer): Promise<'retry' | 'give-up'> {
    const { since = -Infinity, isRefreshed = false } = this.#untried ?? {}
    if (!isRefreshed && this.#settings.now() - since < REFUSED_MS) return 'give-up'
    // A refresh token whose tokens are refused would be asked for more of them without end.
    if (isRefreshed) this.#isRefreshable = false
    await this.#share(() => this.#reauthorize(challenge), signal)
    return 'retry'
  }

  /** https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#step-up-authorization-flow */
  async #forbidden(challenge: Challenge, { signal }: AuthAnswer): Promise<'retry' | 'give-up'> {
    if (challenge.error !== 'insufficient_scope' || this.#tokens === undefined) return 'give-up'
    const scopes = union(this.#scopes, challenge.scopes)
    // What was asked for once and not granted will not be granted now.
    if (scopes.length === this.#scopes.length || scopes.length > MAX_SCOPES) return 'give-up'
    await this.#share(
      async () => this.#obtain(await discover(this.#discovery, challenge.resourceMetadata), scopes),
      signal,
    )
    return 'retry'
  }

  /** One at a time: whoever comes while work is under way waits for it, and sees then what is left to do. */
  async #share(work: () => Promise<void>, signal: AbortSignal | undefined): Promise<void> {
    this.#work ??= work().finally(() => {
      this.#work = undefined
    })
    await abortable(this.#work, signal)
  }

  #isEnding(): boolean {
    return this.#renewAt <= this.#settings.now()
  }

  #isCurrent(sent: AuthHeaders): boolean {
    return this.#tokens !== undefined && sentToken(sent) === this.#tokens.accessToken
  }

  /** Before a request: what was stored, and what takes the place of a token that ends. */
  async #prepare(): Promise<void> {
    if (!this.#isLoaded) {
      const stored = await this.#settings.store.read('tokens', this.#name)
      this.#hold(stored !== undefined && (await this.#isUsable(stored)) ? stored : undefined)
      this.#scopes = stored?.scopes ?? []
      this.#isLoaded = true
    }
    if (!this.#isEnding() || this.#tokens === undefined) return
    const { refreshToken, expiresAt = 0 } = this.#tokens
    // A person is not asked before the server has said that it wants that.
    if (refreshToken === undefined && this.#settings.grant.isAttended) return
    try {
      await this.#renew(this.#tokens)
    } catch (error) {
      // It is good for a little longer, and so may be the next try.
      if (!(error instanceof AuthorizationError) || expiresAt <= this.#settings.now()) throw error
    }
  }

  async #renew({ issuer, resourceMetadata }: StoredTokens): Promise<void> {
    const found = await discover(this.#discovery, resourceMetadata)
    // Where tokens come from now is for the next challenge to say.
    if (found.authorizationServer.issuer !== issuer) return
    if (await this.#refresh(found)) return
    if (!this.#settings.grant.isAttended) await this.#obtain(found, this.#scopes)
  }

  /** Whether this process holds the key that stored tokens are bound to. */
  async #isUsable({ tokenType, keyThumbprint }: StoredTokens): Promise<boolean> {
    if (tokenType === 'bearer') return this.#settings.prover?.isRequired !== true
    return keyThumbprint === (await this.#settings.prover?.keys())?.thumbprint
  }

  async #reauthorize(challenge: Challenge): Promise<void> {
    const found = await discover(this.#discovery, challenge.resourceMetadata)
    if (await this.#refresh(found)) return
    const wanted = challenge.scopes.length > 0 ? challenge.scopes : (found.scopesSupported ?? [])
    await this.#obtain(found, union(this.#scopes, wanted, this.#settings.scopes).slice(0, MAX_SCOPES))
  }

  /** Whether the refresh token gave new tokens; where it is of no use any more, the old ones are gone. */
  async #refresh(found: Discovered): Promise<boolean> {
    const tokens = this.#tokens
    if (tokens?.refreshToken === undefined || !this.#isRefreshable) return false
    const { authorizationServer: server, resource } = found
    if (tokens.issuer !== server.issuer) return false
    const { refreshToken } = tokens
    const endpoint = await this.#endpoint(found)
    if (endpoint.identity.clientId !== tokens.clientId) return false
    try {
      const { client, identity } = endpoint
      const answer = await endpoint.exchange(
        [refreshToken, tokens.accessToken],
        (options) =>
          oauth.refreshTokenGrantRequest(server, client, identity.authenticate, refreshToken, {
            ...options,
            additionalParameters: { resource },
          }),
        (response) => oauth.processRefreshTokenResponse(server, client, response),
      )
      await this.#take(found, endpoint, { refresh_token: refreshToken, ...answer }, this.#scopes)
      this.#untried = { since: this.#settings.now(), isRefreshed: true }
      return true
    } catch (error) {
      if (!(error instanceof AuthorizationError) || !ENDS_REFRESH.has(error.oauthError ?? '')) throw error
      await this.#forgetUnknown(error, endpoint)
      await this.#keep(undefined)
      return false
    }
  }

  /** A registration that the server no longer knows is made again next time. */
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
    const needs = { grantTypes: grant.grantTypes, redirectUris: grant.redirectUris, isBound }
    const { fetch } = this.#discovery
    const identity = await identify(this.#settings, found.authorizationServer, needs, fetch)
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
      `${authorizationServer.issuer} does not say that it binds tokens to a key by ${prover.alg}, and that is required`,
    )
  }

  async #take(
    { authorizationServer: { issuer }, resourceMetadata }: Discovered,
    { identity }: TokenEndpoint,
    answer: oauth.TokenEndpointResponse,
    scopes: readonly string[],
  ): Promise<void> {
    const { prover, now } = this.#settings
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
      ...(answer.expires_in === undefined ? {} : { expiresAt: now() + answer.expires_in * 1000 }),
    })
    this.#untried = { since: now(), isRefreshed: false }
    this.#isRefreshable = true
  }

  #hold(tokens: StoredTokens | undefined): void {
    const now = this.#settings.now()
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

/** Errors after which a refresh token is worth nothing: https://www.rfc-editor.org/rfc/rfc6749#section-5.2 */
const ENDS_REFRESH: ReadonlySet<string> = new Set([
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'invalid_scope',
])
const UNKNOWN_CLIENT: ReadonlySet<string> = new Set(['invalid_client', 'unauthorized_client'])

const union = (...lists: readonly (readonly string[])[]): readonly string[] => [...new Set(lists.flat())]

const sentToken = (sent: AuthHeaders): string | undefined => sent['authorization']?.replace(/^\S+ /, '')

/** Ends the waiting of one request; what it waited for goes on for the others. */
async function abortable(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return await work
  signal.throwIfAborted()
  let stop = (): void => undefined
  const aborted = new Promise<never>((_, fail) => {
    stop = () => fail(signal.reason as Error)
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
