import { usageError } from '../../errors.ts'
import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts'
import { Method } from '../../protocol/methods.ts'
import { type CacheHints, NOT_KEPT } from '../../protocol/revisions/revision.ts'
import { invalid, type Subject } from './checks.ts'

/** How long clients and proxies may cache a result. Sent only in revisions with cache hints. */
export interface CacheHint {
  /** The lifetime in ms, a whole number; 0 forbids caching. @default 0 */
  readonly ttlMs?: number
  /** `public`: caches may share the result between callers. @default 'private' */
  readonly cacheScope?: 'public' | 'private'
}

/** The kinds of results that clients may cache. */
export type CacheKind = Exclude<keyof CacheOptions, keyof CacheHint>

const METHODS: Readonly<Record<CacheKind, string>> = {
  discover: Method.Discover,
  tools: Method.ListTools,
  prompts: Method.ListPrompts,
  resources: Method.ListResources,
  resourceTemplates: Method.ListResourceTemplates,
  reads: Method.ReadResource,
}

/**
 * Hints for all results, and for individual kinds of results: `discover`, `tools`, `prompts`, `resources`,
 * `resourceTemplates` and `reads`. A `public` hint for all results does not apply to results that may depend
 * on the caller: reads, and results from middleware, from a template's `list` or from an `instructions`
 * function. These results are public only if a hint for their own kind or definition says so. Results with a
 * `visible` rule are always private.
 */
export interface CacheOptions extends CacheHint {
  /** The hint for `server/discover`. */
  readonly discover?: CacheHint
  /** The hint for `tools/list`. */
  readonly tools?: CacheHint
  /** The hint for `prompts/list`. */
  readonly prompts?: CacheHint
  /** The hint for `resources/list`. */
  readonly resources?: CacheHint
  /** The hint for `resources/templates/list`. */
  readonly resourceTemplates?: CacheHint
  /** The hint for `resources/read`. A resource can have its own hint. */
  readonly reads?: CacheHint
}

/**
 * Whether a result depends on the caller: `perhaps` if the author's code computes it, `always` if there are
 * `visible` rules.
 */
export type Varies = 'never' | 'perhaps' | 'always'

interface Policy {
  readonly closed: CacheHints
  readonly configured: CacheHints
  /** Whether this kind of result has its own scope. */
  readonly hasOwnScope: boolean
}

/**
 * Finds the cache hints for every result. Equal hints are the same object, so that callers can compare them by
 * identity.
 */
export class Caching {
  readonly #policies: Readonly<Record<CacheKind, Policy>>
  readonly #hasMiddleware: (method: string) => boolean

  /** @throws `ERR_MCP_OPTION` */
  constructor(options: CacheOptions = {}, hasMiddleware: (method: string) => boolean = () => false) {
    checkHint(options, (problem) => usageError('ERR_MCP_OPTION', `The option cache ${problem}`))
    const kinds = Object.keys(METHODS) as CacheKind[]
    this.#policies = Object.fromEntries(kinds.map((kind) => [kind, policyOf(kind, options)])) as Record<
      CacheKind,
      Policy
    >
    this.#hasMiddleware = hasMiddleware
  }

  of(kind: CacheKind, varies: Varies): CacheHints {
    const { closed, configured, hasOwnScope } = this.#policies[kind]
    if (varies === 'always' || configured === closed) return closed
    if (hasOwnScope) return configured
    return varies === 'perhaps' || this.#hasMiddleware(METHODS[kind]) ? closed : configured
  }

  /**
   * Returns the hints for reading one resource or template.
   *
   * @throws `ERR_MCP_INVALID_DEFINITION`
   */
  ofEntry(
    subject: Subject,
    { cache, visible }: { readonly cache?: unknown; readonly visible?: unknown },
  ): CacheHints {
    checkHint(cache, (problem) => invalid(subject, `has a cache that ${problem}`))
    const guarded = visible !== undefined
    if (guarded && cache?.cacheScope === 'public')
      throw invalid(subject, 'has a visible rule, so its cache cannot be public: leave cacheScope out')
    return merged(this.of('reads', guarded ? 'always' : 'perhaps'), cache)
  }
}

/**
 * Returns the hints for one read. If the handler asked questions, the result depends on more than the URI, so
 * clients must not cache it.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching#cache-key
 */
export function readHints(
  { hints, visible }: { readonly hints: CacheHints; readonly visible: unknown },
  own: CacheHint | undefined,
  params: JsonObject,
): CacheHints {
  if (params['inputResponses'] !== undefined || params['requestState'] !== undefined) return NOT_KEPT
  if (own === undefined) return hints
  return merged(hints, visible === undefined ? own : { ...own, cacheScope: 'private' })
}

/**
 * @param wrong - creates the error from a description of the problem, which follows the definition's name in
 * the message
 */
export function checkHint(
  hint: unknown,
  wrong: (problem: string) => Error,
): asserts hint is CacheHint | undefined {
  if (hint === undefined) return
  if (!isObject(hint)) throw wrong('must be an object, such as { ttlMs: 60_000 }')
  const { ttlMs, cacheScope } = hint
  if (ttlMs !== undefined && !(Number.isSafeInteger(ttlMs) && (ttlMs as number) >= 0))
    throw wrong('needs a whole number of milliseconds from 0 as its ttlMs')
  if (cacheScope !== undefined && cacheScope !== 'public' && cacheScope !== 'private')
    throw wrong('needs "public" or "private" as its cacheScope')
}

function policyOf(kind: CacheKind, options: CacheOptions): Policy {
  const own: unknown = options[kind]
  checkHint(own, (problem) => usageError('ERR_MCP_OPTION', `The option cache.${kind} ${problem}`))
  const configured = merged(merged(NOT_KEPT, options), own)
  const closed: CacheHints =
    configured.cacheScope === 'private' ? configured : { ...configured, cacheScope: 'private' }
  return { configured, closed, hasOwnScope: own?.cacheScope !== undefined }
}

function merged(base: CacheHints, hint: CacheHint | undefined): CacheHints {
  if (hint === undefined) return base
  const { ttlMs = base.ttlMs, cacheScope = base.cacheScope } = hint
  return { ttlMs, cacheScope }
}
