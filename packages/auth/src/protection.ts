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
import { audiencesOf, doorOf, type Doors, doorsFor, knownDoors, WELL_KNOWN } from './resource/address.ts'
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
const MAX_PLACES = 16

/** The mount at one address: what tokens must be for, and the refusals. */
interface Place {
  readonly doors: Doors
  readonly audiences: readonly string[]
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
  readonly known: Place | undefined
  readonly #options: OAuthOptions
  readonly #at: ProtectedMount
  readonly #clock: Clock
  readonly #scopes: readonly string[]
  readonly #issuers: Issuers
  readonly #identify: ReturnType<typeof createIdentify>
  readonly #log: RefusalLog
  /** By host, for development. */
  readonly #places = new Map<string, Place>()

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
    const doors = knownDoors(options.resource, at)
    this.known = doors && this.#place(doors)
    this.documents = new ResourceDocuments({
      fields: {
        authorization_servers: issuers.map(({ issuer }) => issuer),
        ...(scopes.length > 0 && { scopes_supported: this.#advertised(scopes) }),
        ...options.metadata,
      },
      known: doors,
      innerPath: path,
      root: options.root !== false,
      doorsFor: (request) => this.#placeFor(request)?.doors,
    })
  }

  /** Synchronous for a token that is remembered: a promise costs more than many calls. */
  authenticate(request: HttpRequest): ReturnType<Authenticate> {
    const place = this.#placeFor(request)
    if (place === undefined) return NO_PLACE
    const refusals = place.refusals[request.route]
    const header = request.header('authorization')
    if (header === undefined || !/^bearer(?: |$)/i.test(header)) return refusals.missing
    const token = header.length > MAX_LENGTH ? undefined : CREDENTIALS.exec(header)?.[1]
    if (token === undefined) return this.#refused(new Refused('malformed'), place, refusals)
    const known = place.tokens?.get(token)
    return known === undefined ? this.#verify(token, place, refusals) : this.#admit(known, refusals)
  }

  /** The challenge of an operation that needs more scopes: with those of every request. */
  challengeFor(scopes: readonly string[], request: HttpRequest): string {
    const doors = this.#placeFor(request)?.doors
    if (doors === undefined) return 'Bearer'
    const { metadataUrl } = doorOf(doors, request.route)
    const all = this.#advertised([...new Set([...this.#scopes, ...scopes])])
    return challengeText({ error: 'insufficient_scope', scopes: all, metadataUrl })
  }

  async #verify(token: string, place: Place, refusals: Refusals): Promise<Admitted> {
    try {
      const verified = await this.#issuers.verify(token, place.audiences)
      const auth = this.#identify(verified)
      const { cache } = this.#options
      const { ttlMs = CACHE.ttlMs } = cache === false ? {} : (cache ?? {})
      const expires = verified.expiresAt === undefined ? Infinity : (verified.expiresAt + TOLERANCE_S) * 1000
      place.tokens?.set(token, auth, Math.min(this.#clock.now() + (verified.keptMs ?? ttlMs), expires))
      return this.#admit(auth, refusals)
    } catch (error) {
      return this.#refused(error, place, refusals)
    }
  }

  #admit(auth: AuthInfo, { insufficient }: Refusals): Admitted {
    for (const scope of this.#scopes) if (!auth.scopes?.includes(scope)) return insufficient
    return auth
  }

  #refused(error: unknown, { audiences }: Place, { invalid }: Refusals): Rejection {
    if (error instanceof Unavailable) return UNAVAILABLE
    if (!(error instanceof Refused)) throw error
    this.#log.add(error.reason, audiences)
    return invalid
  }

  #placeFor(request: WellKnownRequest): Place | undefined {
    if (this.known !== undefined) return this.known
    const host = request.header('host') ?? ''
    if (!URL.canParse(`http://${host}`) || !isLoopback(new URL(`http://${host}`))) return undefined
    const { origin } = new URL(`http://${host}`)
    const asked = (request.path ?? '').replace(WELL_KNOWN, '').replace(/\/+$/, '')
    const key = origin + asked
    const known = this.#places.get(key)
    if (known !== undefined) return known
    const place = this.#place(doorsFor(origin, asked, this.#at))
    if (this.#places.size < MAX_PLACES) this.#places.set(key, place)
    return place
  }

  #place(doors: Doors): Place {
    const { audience, cache } = this.#options
    const { max = CACHE.max } = cache === false ? {} : (cache ?? {})
    const given = typeof audience === 'string' ? [audience] : audience
    const mcp = this.#refusals(doors.mcp.metadataUrl)
    const sse = doors.sse === undefined ? mcp : this.#refusals(doors.sse.metadataUrl)
    return {
      doors,
      audiences: given ?? audiencesOf(doors),
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
const NO_PLACE = new Rejection(401, 'Authentication is required', {
  headers: { 'www-authenticate': 'Bearer' },
})
