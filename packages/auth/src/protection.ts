import type { AuthInfo } from '@jetway/core'
import {
  type Authenticate,
  type HttpRequest,
  type ProtectedMount,
  Rejection,
  type WellKnownRequest,
} from '@jetway/core/http'
import type { CheckedOptions } from './check-options.ts'
import { Proofs } from './dpop/proofs.ts'
import { isLoopback } from './issuers/fetch-json.ts'
import { RefusalLog } from './refusal-log.ts'
import {
  addressesFor,
  addressOf,
  audiencesOf,
  knownAddresses,
  type ResourceAddresses,
  urlOf,
  WELL_KNOWN,
} from './resource/address.ts'
import { challengeText, type Scheme } from './resource/challenge.ts'
import { metadataFields, ResourceDocuments } from './resource/metadata.ts'
import { createRefusals, type Refusals, schemesFor, type TokenRefusals } from './resource/refusals.ts'
import { InvalidProof, NonceRequired, Refused, Unavailable } from './tokens/refused.ts'
import { type ResourceTokens, VerifiedTokens } from './verified-tokens.ts'

type Admitted = AuthInfo | Rejection

/** https://www.rfc-editor.org/rfc/rfc6750#section-2.1 */
const CREDENTIALS = /^(?:Bearer|DPoP) +([A-Za-z0-9._~+/-]+=*)$/i
const BEARER = /^bearer(?: |$)/i
const DPOP = /^dpop(?: |$)/i
const MAX_LENGTH = 16_384
/**
 * The maximum number of hosts whose addresses are cached for a development server, such as `localhost:3000`
 * and `127.0.0.1:3000`.
 */
const MAX_RESOURCES = 16

/** The mount at one address, with its audiences and its refusals. */
interface ProtectedResource extends ResourceTokens {
  readonly addresses: ResourceAddresses
  readonly refusals: Readonly<Record<'mcp' | 'sse' | 'message', Refusals>>
}

const UNAVAILABLE = new Rejection(503, 'The authorization server cannot be reached, try again shortly', {
  headers: { 'retry-after': '5' },
  reason: 'authorizationUnavailable',
})

/** Authenticates the requests of one mount. */
export class Protection {
  readonly documents: ResourceDocuments
  /** The resource. Undefined if the address depends on the request. */
  readonly known: ProtectedResource | undefined
  readonly #options: CheckedOptions
  readonly #at: ProtectedMount
  readonly #scopes: readonly string[]
  readonly #tokens: VerifiedTokens
  readonly #proofs: Proofs
  readonly #log: RefusalLog
  /** Resources, keyed by origin and path, for development without `publicUrl`. */
  readonly #resources = new Map<string, ProtectedResource>()

  constructor(options: CheckedOptions, at: ProtectedMount) {
    const { clock, logger, usedStates } = at
    const { scopes = [], dpop } = options
    this.#options = options
    this.#at = at
    this.#scopes = scopes
    this.#tokens = new VerifiedTokens(options, at)
    this.#proofs = new Proofs({ nonces: dpop.nonces, usedStates, clock, logger })
    this.#log = new RefusalLog(logger, clock)
    const addresses = knownAddresses(options.resource, at)
    this.known = addresses && this.#createResource(addresses)
    this.documents = new ResourceDocuments({
      fields: metadataFields(options, this.#advertised(scopes)),
      known: addresses,
      innerPath: at.path,
      root: options.root !== false,
      addressesFor: (request) => this.#resourceFor(request)?.addresses,
    })
  }

  /**
   * Authenticates a request. Returns synchronously for a cached bearer token, because a promise would take
   * longer than the lookup.
   */
  authenticate(request: HttpRequest): ReturnType<Authenticate> {
    const resource = this.#resourceFor(request)
    if (resource === undefined) return UNKNOWN_RESOURCE
    const { missing, bearer } = resource.refusals[request.route]
    const header = request.header('authorization')
    if (header === undefined) return missing
    const known = resource.tokens?.get(header)
    if (known !== undefined && known.jkt === undefined) return this.#admit(known.auth, bearer)
    const scheme = this.#schemeOf(header)
    return scheme === undefined ? missing : this.#check(request, { scheme, header }, resource)
  }

  /**
   * Returns the challenge for an operation that needs more scopes. It also names the scopes that every
   * request needs.
   */
  challengeFor(scopes: readonly string[], request: HttpRequest): string {
    const addresses = this.#resourceFor(request)?.addresses
    if (addresses === undefined) return 'Bearer'
    const { metadataUrl } = addressOf(addresses, request.route)
    const all = this.#advertised([...new Set([...this.#scopes, ...scopes])])
    const used = this.#schemeOf(request.header('authorization')) ?? 'Bearer'
    const schemes = schemesFor(this.#options.dpop.mode, used)
    return challengeText({ error: 'insufficient_scope', scopes: all, metadataUrl }, schemes)
  }

  #schemeOf(header: string | undefined): Scheme | undefined {
    if (header === undefined) return undefined
    if (BEARER.test(header)) return 'Bearer'
    return this.#options.dpop.mode !== 'off' && DPOP.test(header) ? 'DPoP' : undefined
  }

  async #check(
    request: HttpRequest,
    { scheme, header }: { readonly scheme: Scheme; readonly header: string },
    resource: ProtectedResource,
  ): Promise<Admitted> {
    const { bearer, dpop } = resource.refusals[request.route]
    const own = scheme === 'DPoP' ? dpop : bearer
    try {
      const token = header.length > MAX_LENGTH ? undefined : CREDENTIALS.exec(header)?.[1]
      if (token === undefined) throw new Refused('malformed')
      if (scheme === 'Bearer' && this.#options.dpop.mode === 'require') throw new Refused('dpop', 'scheme')
      const known = resource.tokens?.get(header)
      const { auth, jkt } = known ?? (await this.#tokens.verify({ scheme, token, header, request }, resource))
      const { principal } = auth
      const url = urlOf(resource.addresses, request.route)
      if (jkt !== undefined) await this.#proofs.check(request, url, { token, jkt, principal })
      return this.#admit(auth, own)
    } catch (error) {
      if (error instanceof NonceRequired) return dpop.nonce(error.nonce)
      return this.#refused(error, resource, error instanceof InvalidProof ? dpop.proof : own.invalid)
    }
  }

  #admit(auth: AuthInfo, { insufficient }: TokenRefusals): Admitted {
    for (const scope of this.#scopes) if (!auth.scopes?.includes(scope)) return insufficient
    return auth
  }

  #refused(error: unknown, { audiences }: ProtectedResource, invalid: Rejection): Rejection {
    if (error instanceof Unavailable) return UNAVAILABLE
    if (!(error instanceof Refused)) throw error
    this.#log.add(error, audiences)
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
    const { audience } = this.#options
    const given = typeof audience === 'string' ? [audience] : audience
    const mcp = this.#refusals(addresses.mcp.metadataUrl)
    const sse = addresses.sse === undefined ? mcp : this.#refusals(addresses.sse.metadataUrl)
    return {
      addresses,
      ...this.#tokens.forAudiences(given ?? audiencesOf(addresses)),
      refusals: { mcp, sse, message: sse },
    }
  }

  #refusals(metadataUrl: string): Refusals {
    const { mode } = this.#options.dpop
    return createRefusals({ mode, scopes: this.#advertised(this.#scopes), needed: this.#scopes, metadataUrl })
  }

  #advertised(scopes: readonly string[]): readonly string[] {
    const { advertise } = this.#options
    return advertise === undefined ? scopes : scopes.map(advertise)
  }
}

/** The reply for an unknown address, where no token can be valid because there is no audience. */
const UNKNOWN_RESOURCE = new Rejection(401, 'Authentication is required', {
  headers: { 'www-authenticate': 'Bearer' },
})
