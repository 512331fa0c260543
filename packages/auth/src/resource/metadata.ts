import type { HttpReply, WellKnown, WellKnownRequest } from '@jetway/core/http'
import { ALGORITHMS } from '../tokens/algorithms.ts'
import type { ResourceMetadataFields } from '../options.ts'
import type { CheckedOptions } from '../check-options.ts'
import { type ResourceAddress, type ResourceAddresses, WELL_KNOWN } from './address.ts'

/** The members of the metadata that do not depend on the address. */
export interface MetadataFields extends ResourceMetadataFields {
  readonly authorization_servers: readonly string[]
  readonly scopes_supported?: readonly string[]
  readonly dpop_signing_alg_values_supported?: readonly string[]
  readonly dpop_bound_access_tokens_required?: boolean
}

/** @param scopes - the advertised names of the scopes that every request needs */
export const metadataFields = (
  { issuers, dpop, metadata }: Pick<CheckedOptions, 'issuers' | 'dpop' | 'metadata'>,
  scopes: readonly string[],
): MetadataFields => ({
  authorization_servers: issuers.map(({ issuer }) => issuer),
  ...(scopes.length > 0 && { scopes_supported: scopes }),
  ...(dpop.mode !== 'off' && {
    dpop_signing_alg_values_supported: ALGORITHMS,
    dpop_bound_access_tokens_required: dpop.mode === 'require',
  }),
  ...metadata,
})

export interface ResourceDocumentsOptions {
  readonly fields: MetadataFields
  /**
   * Returns the addresses at which a request reaches the mount, or undefined for a host that the mount does not
   * serve.
   */
  readonly addressesFor: (request: WellKnownRequest) => ResourceAddresses | undefined
  /** The path of the MCP route inside the app. A proxy may have shortened it. */
  readonly innerPath: string | undefined
  /** The addresses, if they do not depend on the request. */
  readonly known: ResourceAddresses | undefined
  readonly root: boolean
}

/** Any origin is allowed, because the metadata is public, and clients in browsers read it. */
const HEADERS = Object.freeze({
  'content-type': 'application/json',
  'cache-control': 'public, max-age=300',
  'access-control-allow-origin': '*',
})
const METHODS = 'GET, HEAD, OPTIONS'
const PREFLIGHT: HttpReply = Object.freeze({
  status: 204,
  headers: Object.freeze({
    allow: METHODS,
    'access-control-allow-origin': '*',
    'access-control-allow-methods': METHODS,
    'access-control-allow-headers': '*',
    'access-control-max-age': '86400',
  }),
})
const WRONG_METHOD: HttpReply = Object.freeze({ status: 405, headers: Object.freeze({ allow: METHODS }) })

/**
 * Serves the protected resource metadata of one mount. For each route, there is a document at the route's
 * address, at the path as it appears behind a proxy that strips a prefix, and at the root.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9728
 */
export class ResourceDocuments implements WellKnown {
  readonly paths: readonly string[]
  elsewhere = false
  readonly #options: ResourceDocumentsOptions

  constructor(options: ResourceDocumentsOptions) {
    const { known, innerPath, root } = options
    this.#options = options
    const inner = innerPath === undefined ? [] : [innerOf(innerPath)]
    const addresses = known === undefined ? [] : [known.mcp, ...(known.sse === undefined ? [] : [known.sse])]
    const own = [...addresses.map(({ metadataPath }) => metadataPath), ...inner]
    this.paths = [...new Set(root ? [...own, WELL_KNOWN] : own)]
  }

  answer(request: WellKnownRequest): HttpReply | undefined {
    const { method, path } = request
    if (path?.startsWith(WELL_KNOWN) !== true) return undefined
    const address = this.#addressAt(path, request)
    if (address === undefined) return undefined
    if (method === 'OPTIONS') return PREFLIGHT
    if (method !== 'GET' && method !== 'HEAD') return WRONG_METHOD
    const head = { status: 200, headers: HEADERS }
    return method === 'HEAD' ? head : { ...head, body: this.#document(address) }
  }

  #addressAt(path: string, request: WellKnownRequest): ResourceAddress | undefined {
    const { addressesFor, innerPath, root } = this.#options
    const addresses = addressesFor(request)
    if (addresses === undefined) return undefined
    const { mcp, sse } = addresses
    // Fastify's routes match at most one trailing slash, so the other adapters must not accept more.
    const asked = path.replace(/\/$/, '')
    if (asked === sse?.metadataPath) return sse
    const isInner = innerPath !== undefined && asked === innerOf(innerPath)
    return asked === mcp.metadataPath || isInner || (root && asked === WELL_KNOWN) ? mcp : undefined
  }

  #document({ resource }: ResourceAddress): string {
    return JSON.stringify({ resource, bearer_methods_supported: ['header'], ...this.#options.fields })
  }
}

const innerOf = (path: string): string => WELL_KNOWN + path.replace(/\/+$/, '')

/**
 * Serves the documents of all mounts that use the same `oauth`, at the root of an app whose mounts are below
 * a prefix.
 */
export class AllDocuments implements WellKnown {
  readonly #mounts: WellKnown[] = []
  #elsewhere = false

  add(mount: WellKnown): void {
    mount.elsewhere ||= this.#elsewhere
    this.#mounts.push(mount)
  }

  get paths(): readonly string[] {
    return this.#mounts.flatMap(({ paths }) => paths)
  }

  get elsewhere(): boolean {
    return this.#elsewhere
  }
  set elsewhere(value: boolean) {
    this.#elsewhere = value
    for (const mount of this.#mounts) mount.elsewhere = value
  }

  answer(request: WellKnownRequest): HttpReply | undefined {
    for (const mount of this.#mounts) {
      const found = mount.answer(request)
      if (found !== undefined) return found
    }
    return undefined
  }
}
