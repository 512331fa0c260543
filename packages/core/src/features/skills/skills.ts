import { invalidParams, usageError } from '../../errors.ts'
import type { JsonObject } from '../../protocol/jsonrpc.ts'
import { NOT_KEPT } from '../../protocol/revisions/revision.ts'
import { type CacheHint, checkHint, merged } from '../registry/caching.ts'
import { checkNumber } from '../../util/check-options.ts'
import { shorten, uriIn } from '../registry/checks.ts'
import { decodeCursor, encodeCursor } from '../registry/cursor.ts'
import type { OfferingExtension } from '../extensions.ts'
import type { AnyResource } from '../resources/resource-types.ts'
import { createCatalogue } from './catalogue.ts'
import type { AnySkill, Skill, SkillDefinition } from './skill-types.ts'

/** Options of {@link skills}. */
export interface SkillsOptions<App = unknown, Locals = unknown> {
  readonly skills: Iterable<SkillDefinition<App, Locals>>
  /** Whether clients may list folders with `resources/directory/read`. @default false */
  readonly directoryRead?: boolean
  /** Skills or files of a folder in one result; fewer if they are larger than 1 MiB. @default 100 */
  readonly pageSize?: number
  /** For lists and entries. @default 0 ms, private */
  readonly cache?: CacheHint
}

/** For the option `extensions` of servers. */
export interface SkillsExtension<App = unknown, Locals = unknown> extends OfferingExtension<App, Locals> {
  /**
   * Replaces all skills, and notifies clients that the list of resources has changed.
   * Wrong skills change nothing.
   *
   * @throws the errors of `skills(…)`
   */
  set(skills: Iterable<SkillDefinition<App, Locals>>): void
}

const ID = 'io.modelcontextprotocol/skills'
/** In one page, in bytes: together with one large entry, less than the longest line that clients accept. */
const PAGE_BYTES = 1024 * 1024

/**
 * Serves skills: instructions for models, with their files. `skills/list` and `skills/get` return their
 * manifests, and every file is a resource below `skill://`.
 *
 * @see https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/skills.mdx
 * @throws UsageError `ERR_MCP_INVALID_NAME`, `ERR_MCP_INVALID_DEFINITION` or `ERR_MCP_DUPLICATE_NAME` for
 *   wrong skills, `ERR_MCP_OPTION` for wrong options
 */
export function skills<App = unknown, Locals = unknown>(
  options: SkillsOptions<App, Locals>,
): SkillsExtension<App, Locals> {
  const { directoryRead = false, pageSize = 100, cache } = options
  checkNumber('pageSize of skills', pageSize)
  checkHint(cache, (problem) => usageError('ERR_MCP_OPTION', `The option cache of skills ${problem}`))
  const hints = merged(NOT_KEPT, cache)
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

/** The cursor is the last URI. It may be gone: the items are in the order of their URIs. */
function pageOf<Item extends { readonly uri: string }>(
  items: readonly Item[],
  list: string,
  cursor: unknown,
  pageSize: number,
): { readonly items: readonly Item[]; readonly nextCursor?: string | undefined } {
  const after = cursor === undefined ? '' : decodeCursor(list, cursor)
  const start = items.findIndex(({ uri }) => uri > after)
  if (start === -1) return { items: [] }
  const page = items.slice(start, start + pageSize)
  const last = start + pageSize < items.length ? page.at(-1) : undefined
  return { items: page, nextCursor: last && encodeCursor(list, last.uri) }
}

/** The entries that fit into a page: at least one, however large. */
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
  throw usageError('ERR_MCP_OPTION', 'skills({ skills }) needs an array of skills')
}
