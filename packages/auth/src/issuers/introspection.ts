import { checkNames, checkOption, type OptionNames } from '@jetway/core/protocol'
import { Discovery } from './discovery.ts'
import { isTrustworthy } from './fetch-json.ts'
import { type Claims, timeOf, type VerifiedToken } from '../tokens/claims.ts'
import { Refused, Unavailable } from '../tokens/refused.ts'
import { TokenCache } from '../tokens/token-cache.ts'
import type { CheckContext, TokenCheck, TokenVerifier } from './token-check.ts'

/** The options of {@link introspection}. */
export interface IntrospectionOptions {
  /** This server's credentials at the authorization server. */
  readonly clientId: string
  readonly clientSecret: string
  /** The address of the introspection endpoint. @default the `introspection_endpoint` of the issuer's metadata */
  readonly endpoint?: string
  /** How the credentials are sent. @default 'client_secret_basic' */
  readonly authMethod?: 'client_secret_basic' | 'client_secret_post'
  /**
   * `issuer` accepts responses without `aud`, for an issuer whose tokens are all for this server. Never set it for an
   * issuer that other servers use too: their tokens would be accepted here.
   *
   * @default 'required'
   */
  readonly audience?: 'required' | 'issuer'
}

const NAMES: OptionNames<IntrospectionOptions> = {
  clientId: 1,
  clientSecret: 1,
  endpoint: 1,
  authMethod: 1,
  audience: 1,
}
const LIMITS = { timeoutMs: 2_000, maxBytes: 65_536 }
const MAX_IN_FLIGHT = 64
/**
 * The time for which an active token is cached, in ms. A revocation takes effect after this time at the
 * latest.
 */
const ACTIVE_MS = 30_000
const INACTIVE_MS = 5_000
const MAX_INACTIVE = 1_000

/**
 * Checks opaque tokens by asking their issuer. An answer is cached for at most 30 s.
 *
 * @throws `ERR_MCP_OPTION`
 * @see https://www.rfc-editor.org/rfc/rfc7662
 */
export function introspection(options: IntrospectionOptions): TokenCheck {
  checkNames(options, NAMES)
  const {
    clientId,
    clientSecret,
    endpoint,
    authMethod = 'client_secret_basic',
    audience = 'required',
  } = options
  checkOption('clientId', typeof clientId === 'string' && clientId !== '', 'must be a text')
  checkOption('clientSecret', typeof clientSecret === 'string' && clientSecret !== '', 'must be a text')
  checkOption('endpoint', endpoint === undefined || isTrustworthy(endpoint), 'must be an https: URL')
  const methods = ['client_secret_basic', 'client_secret_post']
  checkOption('authMethod', methods.includes(authMethod), `must be one of ${methods.join(', ')}`)
  checkOption('audience', ['required', 'issuer'].includes(audience), "must be 'required' or 'issuer'")
  return {
    kind: 'opaque',
    create: (context) => new Introspection({ ...options, authMethod, audience }, context),
  }
}

type Resolved = IntrospectionOptions & Required<Pick<IntrospectionOptions, 'authMethod' | 'audience'>>

/** Asks one issuer about tokens. */
class Introspection implements TokenVerifier {
  readonly #options: Resolved
  readonly #context: CheckContext
  readonly #discovery: Discovery
  /** Concurrent checks of the same token share one request. */
  readonly #open = new Map<string, Promise<Claims>>()
  readonly #inactive: TokenCache<true>

  constructor(options: Resolved, context: CheckContext) {
    this.#options = options
    this.#context = context
    this.#discovery = new Discovery(context.issuer, context.fetchJson, context.clock)
    this.#inactive = new TokenCache(MAX_INACTIVE, context.clock)
  }

  async verify(token: string, audiences: readonly string[]): Promise<VerifiedToken> {
    const { issuer, clock } = this.#context
    if (this.#inactive.get(token) === true) throw new Refused('inactive')
    const claims = await this.#ask(token)
    if (claims['active'] !== true) {
      this.#inactive.set(token, true, clock.now() + INACTIVE_MS)
      throw new Refused('inactive')
    }
    const { iss, aud, exp } = claims
    if (iss !== undefined && iss !== issuer) throw new Refused('iss')
    this.#checkAudience(aud, audiences)
    const expiresAt = timeOf(exp)
    if (expiresAt !== undefined && expiresAt * 1000 <= clock.now()) throw new Refused('exp')
    return { issuer, claims, expiresAt, keptMs: ACTIVE_MS }
  }

  #checkAudience(aud: unknown, audiences: readonly string[]): void {
    if (aud === undefined && this.#options.audience === 'issuer') return
    const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
    if (!named.some((one) => typeof one === 'string' && audiences.includes(one))) throw new Refused('aud')
  }

  #ask(token: string): Promise<Claims> {
    const open = this.#open.get(token)
    if (open !== undefined) return open
    if (this.#open.size >= MAX_IN_FLIGHT) throw new Unavailable('Too many tokens are being introspected')
    const asked = this.#fetch(token).finally(() => this.#open.delete(token))
    this.#open.set(token, asked)
    return asked
  }

  async #fetch(token: string): Promise<Claims> {
    const { logger, issuer, fetchJson } = this.#context
    try {
      const url =
        this.#options.endpoint ??
        endpointIn((await this.#discovery.metadata()).introspection_endpoint, issuer)
      const answer = await fetchJson(url, { ...LIMITS, init: this.#request(token) })
      if (typeof answer !== 'object' || answer === null)
        throw new Unavailable(`${url} replied with no object`)
      return answer as Claims
    } catch (error) {
      this.#discovery.forget()
      // The message contains the address and the status, never the token.
      logger.error({ err: error }, 'A token cannot be introspected')
      throw error
    }
  }

  #request(token: string): Pick<RequestInit, 'method' | 'headers' | 'body'> {
    const { clientId, clientSecret, authMethod } = this.#options
    const isBasic = authMethod === 'client_secret_basic'
    const form = new URLSearchParams({ token, token_type_hint: 'access_token' })
    if (!isBasic) {
      form.set('client_id', clientId)
      form.set('client_secret', clientSecret)
    }
    return {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
        ...(isBasic && { authorization: `Basic ${basic(clientId, clientSecret)}` }),
      },
      body: form.toString(),
    }
  }
}

function endpointIn(endpoint: unknown, issuer: string): string {
  if (typeof endpoint !== 'string')
    throw new Unavailable(`The metadata of ${issuer} has no introspection_endpoint`)
  return endpoint
}

/**
 * Returns the credentials for Basic authentication. The id and the secret are form-encoded first:
 * https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1
 */
function basic(id: string, secret: string): string {
  const encode = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1)
  return btoa(`${encode(id)}:${encode(secret)}`)
}
