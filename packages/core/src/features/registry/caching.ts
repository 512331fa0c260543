import { usageError } from '../../errors.ts'
import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts'
import { Method } from '../../protocol/methods.ts'
import { type CacheHints, NOT_KEPT } from '../../protocol/revisions/revision.ts'
import { invalid, type Subject } from './checks.ts'

/** How long clients and proxies may keep a result. Sent in revisions that have such hints. */
export interface CacheHint {
  /** In ms, a whole number from 0; with 0 a result is not to be kept. @default 0 */
  readonly ttlMs?: number
  /** `public`: the kept result may be given to any caller. @default 'private' */
  readonly cacheScope?: 'public' | 'private'
}

/** The results that may be kept, by what they are. */
export type CacheKind = 'discover' | 'tools' | 'prompts' | 'resources' | 'resourceTemplates' | 'reads'

const METHODS: Readonly<Record<CacheKind, string>> = {
  discover: Method.Discover,
  tools: Method.ListTools,
  prompts: Method.ListPrompts,
  resources: Method.ListResources,
  resourceTemplates: Method.ListResourceTemplates,
  reads: Method.ReadResource,
}

/**
 * The hints of a server: for everything, and for some results in particular. Said for everything, `public` counts
 * where no code of yours could tell callers apart; what a middleware, the `list` of a template, an `instructions`
 * function or a read is part of is public only if it says so itself, here or where it is registered. What a `visible`
 * rule has a say in never is.
 */
export interface CacheOptions extends CacheHint {
  /** `server/discover`. */
  readonly discover?: CacheHint
  readonly tools?: CacheHint
  readonly prompts?: CacheHint
  readonly resources?: CacheHint
  readonly resourceTemplates?: CacheHint
  /** `resources/read`. A resource, a template and a single read can say otherwise. */
  readonly reads?: CacheHint
}

/** Whether the same result is for everybody: `perhaps` where code of an author has a part in it, `always` where a rule has. */
export type Varies = 'never' | 'perhaps' | 'always'

interface Policy {
  readonly closed: CacheHints
  readonly asked: CacheHints
  /** Whether the scope was said of this kind of result itself. */
  readonly meant: boolean
}

/** Says of every result how long it may be kept. The same hints are the same object, so that what hangs on them can be kept. */
export class Caching {
  readonly #policies: Readonly<Record<CacheKind, Policy>>
  readonly #layered: (method: string) => boolean

  /**
   * @param layered - whether a middleware wraps a method
   * @throws `ERR_MCP_OPTION`
   */
  constructor(options: CacheOptions = {}, layered: (method: string) => boolean = () => false) {
    checkHint(options, (problem) => usageError('ERR_MCP_OPTION', `The option cache ${problem}`))
    const kinds = Object.keys(METHODS) as CacheKind[]
    const policies = kinds.map((kind) => [kind, policyOf(kind, options)] as const)
    this.#policies = Object.fromEntries(policies) as Record<CacheKind, Policy>
    this.#layered = layered
  }

  of(kind: CacheKind, varies: Varies): CacheHints {
    const { closed, asked, meant } = this.#policies[kind]
    if (varies === 'always' || asked === closed) return closed
    if (meant) return asked
    return varies === 'perhaps' || this.#layered(METHODS[kind]) ? closed : asked
  }

  /**
   * What the reads of one resource or template say, unless one says otherwise.
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
      throw invalid(
        subject,
        'has a visible rule and a public cache, which would show it to others: leave cacheScope out',
      )
    return merged(this.of('reads', guarded ? 'always' : 'perhaps'), cache)
  }
}

/**
 * The hints of one read. An answer that took questions hangs on more than its address, and is not to be kept.
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

/** @param wrong - makes the error; the problem follows the name of the faulty definition */
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
  const asked = merged(merged(NOT_KEPT, options), own)
  const closed: CacheHints = asked.cacheScope === 'private' ? asked : { ...asked, cacheScope: 'private' }
  return { asked, closed, meant: own?.cacheScope !== undefined }
}

/** What a hint says, over what holds without it. */
export function merged(base: CacheHints, hint: CacheHint | undefined): CacheHints {
  if (hint === undefined) return base
  const { ttlMs = base.ttlMs, cacheScope = base.cacheScope } = hint
  return { ttlMs, cacheScope }
}
