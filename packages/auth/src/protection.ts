import type { AuthInfo } from '@jetway/core'
import {
  type Authenticate,
  type HttpRequest,
  type ProtectedMount,
  Rejection,
  type WellKnownRequest,
} from '@jetway/core/http'
import type { Clock } from '@jetway/core/stores'
import type { Issuer } from './check-options.ts'
import { createFetchJson, isLoopback } from './keys/fetch-json.ts'
import { TOLERANCE_S } from './jwt/verify.ts'
import type { OAuthOptions } from './options.ts'
import { RefusalLog } from './refusal-log.ts'
import {
  audiencesOf,
  addressOf,
  type ResourceAddresses,
  addressesFor,
  knownAddresses,
  WELL_KNOWN,
} from './resource/address.ts'
import { challengeText } from './resource/challenge.ts'
import { ResourceDocuments } from './resource/metadata.ts'
import { createIdentify } from './identity.ts'
import { Issuers } from './tokens/issuers.ts'
import { Refused, Unavailable } from './tokens/refused.ts'
import { TokenCache } from './tokens/token-cache.ts'

type Admitted = AuthInfo | Rejection

const CACHE = { max: 2_000, ttlMs: 60_000 }
/** https://www.rfc-editor.org/rfc/rfc6750#section-2.1 */
const CREDENTIALS = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i
const MAX_LENGTH = 16_384
/** Hosts of one development server, such as `localhost:3000` and `127.0.0.1:3000`. */
const MAX_RESOURCES = 16

/** The mount at one address: what tokens must be for, and the refusals. */
interface ProtectedResource {
  readonly addresses: ResourceAddresses
  readonly audiences: readonly string[]
  /** By the header, so that a remembered one need not be parsed. */
  readonly tokens: TokenCache<AuthInfo> | undefined
  readonly refusals: Readonly<Record<'mcp' | 'sse' | 'message', Refusals>>
}

interface Refusals {
  readonly missing: Rejection
  readonly invalid: Rejection
  readonly insufficient: Rejection
}

const UNAVAILABLE = new Rejection(503, 'The authorization server cannot be reached, try again shortly', {
  headers: { 'retry-after': '5' },
  reason: 'authorizationUnavailable',
})

/** Authenticates the requests of one mount. */
export class Protection {
  readonly documents: ResourceDocuments
  /** Undefined where the address is taken from requests. */
  readonly known: ProtectedResource | undefined
  readonly #options: OAuthOptions
  readonly #at: ProtectedMount
  readonly #clock: Clock
  readonly #scopes: readonly string[]
  readonly #issuers: Issuers
  readonly #identify: ReturnType<typeof createIdentify>
  readonly #log: RefusalLog
  /** By host, for development. */
  readonly #resources = new Map<string, ProtectedResource>()

  constructor(options: OAuthOptions, issuers: readonly Issuer[], at: ProtectedMount) {
    const { clock, logger, path } = at
    const { scopes = [], fetch = (url, init) => globalThis.fetch(url, init) } = options
    this.#options = options
    this.#at = at
    this.#clock = clock
    this.#scopes = scopes
    this.#issuers = new Issuers(issuers, { clock, logger, fetchJson: createFetchJson(fetch, clock) })
    this.#identify = createIdentify(options)
    this.#log = new RefusalLog(logger, clock)
    const addresses = knownAddresses(options.resource, at)
    this.known = addresses && this.#createResource(addresses)
    this.documents = new ResourceDocuments({
      fields: {
        authorization_servers: issuers.map(({ issuer }) => issuer),
        ...(scopes.length > 0 && { scopes_supported: this.#advertised(scopes) }),
        ...options.metadata,
      },
      known: addresses,
      innerPath: path,
      root: options.root !== false,
      addressesFor: (request) => this.#resourceFor(request)?.addresses,
    })
  }

  /** Synchronous for a token that is remembered: a promise costs more than many calls. */
  authenticate(request: HttpRequest): ReturnType<Authenticate> {
    const resource = this.#resourceFor(request)
    if (resource === undefined) return UNKNOWN_RESOURCE
    const refusals = resource.refusals[request.route]
    const header = request.header('authorization')
    if (header === undefined) return refusals.missing
    const known = resource.tokens?.get(header)
    if (known !== undefined) return this.#admit(known, refusals)
    if (!/^bearer(?: |$)/i.test(header)) return refusals.missing
    const token = header.length > MAX_LENGTH ? undefined : CREDENTIALS.exec(header)?.[1]
    if (token === undefined) return this.#refused(new Refused('malformed'), resource, refusals)
    return this.#verify({ token, header }, resource, refusals)
  }

  /** The challenge of an operation that needs more scopes: with those of every request. */
  challengeFor(scopes: readonly string[], request: HttpRequest): string {
    const addresses = this.#resourceFor(request)?.addresses
    if (addresses === undefined) return 'Bearer'
    const { metadataUrl } = addressOf(addresses, request.route)
    const all = this.#advertised([...new Set([...this.#scopes, ...scopes])])
    return challengeText({ error: 'insufficient_scope', scopes: all, metadataUrl })
  }

  async #verify(
    { token, header }: { readonly token: string; readonly header: string },
    resource: ProtectedResource,
    refusals: Refusals,
  ): Promise<Admitted> {
    try {
      const verified = await this.#issuers.verify(token, resource.audiences)
      const auth = this.#identify(verified)
      const { cache } = this.#options
      const { ttlMs = CACHE.ttlMs } = cache === false ? {} : (cache ?? {})
      const expires = verified.expiresAt === undefined ? Infinity : (verified.expiresAt + TOLERANCE_S) * 1000
      resource.tokens?.set(header, auth, Math.min(this.#clock.now() + (verified.keptMs ?? ttlMs), expires))
      return this.#admit(auth, refusals)
    } catch (error) {
      return this.#refused(error, resource, refusals)
    }
  }

  #admit(auth: AuthInfo, { insufficient }: Refusals): Admitted {
    for (const scope of this.#scopes) if (!auth.scopes?.includes(scope)) return insufficient
    return auth
  }

  #refused(error: unknown, { audiences }: ProtectedResource, { invalid }: Refusals): Rejection {
    if (error instanceof Unavailable) return UNAVAILABLE
    if (!(error instanceof Refused)) throw error
    this.#log.add(error.reason, audiences)
    return invalid
  }

  #resourceFor(request: WellKnownRequest): ProtectedResource | undefined {
    if (this.known !== undefined) return this.known
    const host = request.header('host') ?? ''
    if (!URL.canParse(`http://${host}`) || !isLoopback(new URL(`http://${host}`))) return undefined
    const { origin } = new URL(`http://${host}`)
    const asked = (request.path ?? '').replace(WELL_KNOWN, '').replace(/\/+$/, '')
    const key = origin + asked
    const known = this.#resources.get(key)
    if (known !== undefined) return known
    const resource = this.#createResource(addressesFor(origin, asked, this.#at))
    if (this.#resources.size < MAX_RESOURCES) this.#resources.set(key, resource)
    return resource
  }

  #createResource(addresses: ResourceAddresses): ProtectedResource {
    const { audience, cache } = this.#options
    const { max = CACHE.max } = cache === false ? {} : (cache ?? {})
    const given = typeof audience === 'string' ? [audience] : audience
    const mcp = this.#refusals(addresses.mcp.metadataUrl)
    const sse = addresses.sse === undefined ? mcp : this.#refusals(addresses.sse.metadataUrl)
    return {
      addresses,
      audiences: given ?? audiencesOf(addresses),
      tokens: cache === false ? undefined : new TokenCache(max, this.#clock),
      refusals: { mcp, sse, message: sse },
    }
  }

  #refusals(metadataUrl: string): Refusals {
    const scopes = this.#advertised(this.#scopes)
    const headers = (error?: 'invalid_token' | 'insufficient_scope'): Record<string, string> => ({
      'www-authenticate': challengeText({ scopes, metadataUrl, ...(error !== undefined && { error }) }),
    })
    return {
      missing: new Rejection(401, 'Authentication is required', { headers: headers() }),
      invalid: new Rejection(401, 'The access token is not valid', { headers: headers('invalid_token') }),
      insufficient: new Rejection(403, `This needs the scopes ${this.#scopes.join(' ')}`, {
        headers: headers('insufficient_scope'),
        reason: 'insufficientScope',
      }),
    }
  }

  #advertised(scopes: readonly string[]): readonly string[] {
    const { advertise } = this.#options
    return advertise === undefined ? scopes : scopes.map(advertise)
  }
}

/** Without an address the audience is not known, so no token can be valid. */
const UNKNOWN_RESOURCE = new Rejection(401, 'Authentication is required', {
  headers: { 'www-authenticate': 'Bearer' },
})
