import { networkOf } from '@jetway/core/http'
import { checkNames, checkOption, type OptionNames } from '@jetway/core/protocol'
import type { Clock } from '@jetway/core/stores'
import { Discovery } from './discovery.ts'
import { isTrustworthy } from './fetch-json.ts'
import { type Claims, clientOf, subjectOf, timeOf, type VerifiedToken } from '../tokens/claims.ts'
import { Refused, Unavailable } from '../tokens/refused.ts'
import { TokenCache } from '../tokens/token-cache.ts'
import { QuestionTurns } from './question-turns.ts'
import type { CheckContext, TokenCheck, TokenRequest, TokenVerifier } from './token-check.ts'

/** The options of {@link introspection}. */
export interface IntrospectionOptions {
  /** This server's client id and secret at the authorization server. */
  readonly clientId: string
  readonly clientSecret: string
  /**
   * The address of the introspection endpoint. @default the `introspection_endpoint` in the issuer's metadata
   */
  readonly endpoint?: string
  /** How the credentials are sent. @default 'client_secret_basic' */
  readonly authMethod?: 'client_secret_basic' | 'client_secret_post'
  /**
   * `issuer` accepts responses without `aud`, for an issuer whose tokens are all for this server. Never set it
   * for an issuer that other servers also use, because their tokens would be accepted here.
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
/** How long an active token is cached, in ms. A revocation takes effect after this time at the latest. */
const ACTIVE_MS = 30_000
/** How long the last response about an active token remains valid while the issuer does not respond, in ms. */
const KNOWN_MS = 3_600_000
/** How long a request with such a token waits for the issuer, in ms. */
const WAIT_MS = 2_000
/** The minimum time before the issuer is asked about such a token again, in ms. */
const RETRY_MS = 5_000
const MAX_KNOWN = 10_000
const INACTIVE_MS = 5_000
const MAX_INACTIVE = 1_000
/** The minimum time between log lines, in ms, because anyone can cause a failure by inventing a token. */
const LOG_MS = 1_000

/**
 * Checks opaque tokens by asking their issuer. Responses are cached for at most 30 s. Because anyone can
 * invent tokens, tokens that have been active before are checked first. If the issuer does not respond within
 * 2 s, the last response about such a token remains valid until its `exp`, but for no longer than an hour.
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

const KNOWN = { kind: 'known' } as const

type Resolved = IntrospectionOptions & Required<Pick<IntrospectionOptions, 'authMethod' | 'audience'>>

/** Asks one issuer about tokens. */
class Introspection implements TokenVerifier {
  readonly #options: Resolved
  readonly #context: CheckContext
  readonly #discovery: Discovery
  readonly #turns: QuestionTurns
  /** Concurrent checks of the same token share one request. */
  readonly #open = new Map<string, Promise<Claims>>()
  /** The last responses about active tokens. */
  readonly #known: TokenCache<Claims>
  readonly #inactive: TokenCache<true>
  readonly #logged = { at: Number.NEGATIVE_INFINITY, skipped: 0 }

  constructor(options: Resolved, context: CheckContext) {
    this.#options = options
    this.#context = context
    this.#discovery = new Discovery(context.issuer, context.fetchJson, context.clock)
    this.#turns = new QuestionTurns(context.clock)
    this.#known = new TokenCache(MAX_KNOWN, context.clock)
    this.#inactive = new TokenCache(MAX_INACTIVE, context.clock)
  }

  async verify(token: string, audiences: readonly string[], request: TokenRequest): Promise<VerifiedToken> {
    if (this.#inactive.get(token) === true) throw new Refused('inactive')
    const known = this.#known.get(token)
    const answered = this.#ask(token, known !== undefined, request).then((claims) =>
      this.#remembered(token, claims, audiences),
    )
    if (known === undefined) return answered
    const found = await within(WAIT_MS, answered, this.#context.clock)
    return found ?? { ...this.#checked(known, audiences), keptMs: RETRY_MS }
  }

  /** Checks a response and caches it, even if the request that caused it has ended. */
  #remembered(token: string, claims: Claims, audiences: readonly string[]): VerifiedToken {
    const { clock } = this.#context
    this.#known.delete(token)
    if (claims['active'] !== true) {
      this.#inactive.set(token, true, clock.now() + INACTIVE_MS)
      throw new Refused('inactive')
    }
    const verified = this.#checked(claims, audiences)
    // Without a limit per owner, a client with many tokens could displace the tokens of all other clients.
    const holder = JSON.stringify([clientOf(claims), subjectOf(claims), claims['username']])
    this.#known.set(token, claims, clock.now() + KNOWN_MS, holder)
    return verified
  }

  #checked(claims: Claims, audiences: readonly string[]): VerifiedToken {
    const { issuer, clock } = this.#context
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

  #ask(token: string, isKnown: boolean, request: TokenRequest): Promise<Claims> {
    const open = this.#open.get(token)
    if (open !== undefined) return open
    const asked = this.#turns
      .run(isKnown ? KNOWN : { kind: 'unknown', network: networkOf(request.peer?.remoteAddress) }, () =>
        this.#fetch(token),
      )
      .catch((error: unknown) => {
        this.#log(error)
        throw error
      })
      .finally(() => this.#open.delete(token))
    this.#open.set(token, asked)
    request.waitUntil?.(asked.catch(() => {}))
    return asked
  }

  async #fetch(token: string): Promise<Claims> {
    const { issuer, fetchJson } = this.#context
    try {
      const url =
        this.#options.endpoint ??
        endpointIn((await this.#discovery.metadata()).introspection_endpoint, issuer)
      const answer = await fetchJson(url, { ...LIMITS, init: this.#request(token) })
      if (typeof answer !== 'object' || answer === null)
        throw new Unavailable(`${url} replied with no object`)
      return answer as Claims
    } catch (error) {
      this.#discovery.doubt()
      throw error
    }
  }

  /** Logs a failure. Its message contains the address and the status, never the token. */
  #log(error: unknown): void {
    const { logger, clock } = this.#context
    if (clock.now() - this.#logged.at < LOG_MS) {
      this.#logged.skipped++
      return
    }
    logger.error({ err: error, skipped: this.#logged.skipped }, 'A token cannot be introspected')
    Object.assign(this.#logged, { at: clock.now(), skipped: 0 })
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
 * Returns the credentials for Basic authentication. The id and the secret are first form-encoded. See
 * https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1.
 */
function basic(id: string, secret: string): string {
  const encode = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1)
  return btoa(`${encode(id)}:${encode(secret)}`)
}

/** Resolves to undefined if the issuer has not responded in time, or cannot be asked. @throws Refused */
async function within<T>(ms: number, answered: Promise<T>, clock: Clock): Promise<T | undefined> {
  let timer: unknown
  const late = new Promise<undefined>((resolve) => {
    timer = clock.setTimeout(() => resolve(undefined), ms)
  })
  const found = answered.catch((error: unknown) => {
    if (error instanceof Refused) throw error
    return undefined
  })
  try {
    return await Promise.race([found, late])
  } finally {
    clock.clearTimeout(timer)
  }
}
