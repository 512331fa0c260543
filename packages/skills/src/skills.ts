import { type AnyResource, invalidParams, type OfferingExtension, UsageError } from '@jetway/core'
import { checkOption, type JsonObject } from '@jetway/core/protocol'
import { createCatalogue } from './catalogue.ts'
import { shorten, uriIn } from './checks.ts'
import { encodeCursor, pageOf } from './pages.ts'
import type { AnySkill, Skill, SkillDefinition } from './skill-types.ts'

/** How long clients and proxies may keep lists and entries. */
interface CacheHint {
  /** The lifetime in ms, as a whole number; 0 forbids caching. @default 0 */
  readonly ttlMs?: number
  /** `public`: caches may share the result between callers. @default 'private' */
  readonly cacheScope?: 'public' | 'private'
}

/** The options of {@link skills}. */
export interface SkillsOptions<App = unknown, Locals = unknown> {
  readonly skills: Iterable<SkillDefinition<App, Locals>>
  /** Whether clients may list folders with `resources/directory/read`. @default false */
  readonly directoryRead?: boolean
  /**
   * The maximum number of skills, or of entries in a folder, in one result. A result contains fewer if it
   * would otherwise exceed 1 MiB. @default 100
   */
  readonly pageSize?: number
  /** The cache hint for lists and entries. @default 0 ms, private */
  readonly cache?: CacheHint
}

/** The skills extension, to pass to a server in the `extensions` option. */
export interface SkillsExtension<App = unknown, Locals = unknown> extends OfferingExtension<App, Locals> {
  /**
   * Replaces all skills, and notifies clients that the list of resources has changed. If any skill is invalid,
   * nothing changes.
   *
   * @throws the errors of `skills(…)`
   */
  set(skills: Iterable<SkillDefinition<App, Locals>>): void
}

const ID = 'io.modelcontextprotocol/skills'
/**
 * The maximum size of a page, in bytes. Even with one large entry on top, a page fits into the longest line
 * that clients accept.
 */
const PAGE_BYTES = 1024 * 1024

/**
 * Serves skills: instructions for models, together with files. `skills/list` and `skills/get` return the
 * manifests, and every file is a resource below `skill://`.
 *
 * @see https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/skills.mdx
 * @throws UsageError `ERR_MCP_INVALID_NAME`, `ERR_MCP_INVALID_DEFINITION` or `ERR_MCP_DUPLICATE_NAME` for
 * invalid skills, `ERR_MCP_OPTION` for invalid options
 */
export function skills<App = unknown, Locals = unknown>(
  options: SkillsOptions<App, Locals>,
): SkillsExtension<App, Locals> {
  const { directoryRead = false, pageSize = 100, cache } = options
  checkOption(
    'pageSize of skills',
    Number.isSafeInteger(pageSize) && pageSize > 0,
    'must be a whole number above 0',
  )
  const hints = hintsOf(cache)
  const listeners = new Set<() => void>()
  let catalogue = createCatalogue(checkSkills(options.skills))

  const list = async (params: JsonObject): Promise<object> => {
    const { items, nextCursor } = pageOf(catalogue.skills, 'skills', params['cursor'], pageSize)
    const entries = await Promise.all(items.map((skill) => skill.entry()))
    const fitting = fit(entries)
    const last = fitting.length < entries.length ? fitting.at(-1) : undefined
    const next = last === undefined ? nextCursor : encodeCursor('skills', last.uri)
    return { skills: fitting, ...(next !== undefined && { nextCursor: next }), ...hints }
  }

  const get = async (params: JsonObject): Promise<object> => {
    const uri = uriIn(params)
    const skill = catalogue.find(uri)
    if (skill === undefined) throw invalidParams(`No skill is served at ${shorten(uri)}`)
    return { skill: await skill.entry(), ...hints }
  }

  const readDirectory = (params: JsonObject): object => {
    const uri = uriIn(params)
    const children = catalogue.directories.get(uri)
    if (children === undefined) throw invalidParams(`${shorten(uri)} is not a directory resource`)
    const { items, nextCursor } = pageOf(children, uri, params['cursor'], pageSize)
    return { resources: items, ...(nextCursor !== undefined && { nextCursor }) }
  }

  return {
    id: ID,
    settings: directoryRead ? { directoryRead: true } : {},
    clients: 'all',
    methods: {
      'skills/list': list,
      'skills/get': get,
      ...(directoryRead && { 'resources/directory/read': readDirectory }),
    },
    source: {
      resources: () => catalogue.resources as readonly AnyResource<App, Locals>[],
      onChange: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },
    set: (given) => {
      catalogue = createCatalogue(checkSkills(given))
      for (const listener of listeners) listener()
    },
  }
}

/** Returns the entries that fit on a page, but always at least one. */
function fit(entries: readonly Skill[]): readonly Skill[] {
  let size = 0
  const beyond = entries.findIndex((entry, index) => {
    size += JSON.stringify(entry).length
    return index > 0 && size > PAGE_BYTES
  })
  return beyond === -1 ? entries : entries.slice(0, beyond)
}

function checkSkills(given: unknown): Iterable<AnySkill> {
  if (typeof given === 'object' && given !== null && Symbol.iterator in given)
    return given as Iterable<AnySkill>
  throw new UsageError('ERR_MCP_OPTION', 'skills({ skills }) needs an array of skills')
}

function hintsOf(cache: CacheHint = {}): Required<CacheHint> {
  const fault = (problem: string): UsageError =>
    new UsageError('ERR_MCP_OPTION', `The option cache of skills ${problem}`)
  if (typeof cache !== 'object' || cache === null) throw fault('must be an object, such as { ttlMs: 60_000 }')
  const { ttlMs = 0, cacheScope = 'private' } = cache
  if (!(Number.isSafeInteger(ttlMs) && ttlMs >= 0))
    throw fault('needs a whole number of milliseconds from 0 as its ttlMs')
  if (cacheScope !== 'public' && cacheScope !== 'private')
    throw fault('needs "public" or "private" as its cacheScope')
  return { ttlMs, cacheScope }
}
