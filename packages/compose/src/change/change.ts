import type { Source } from '@jetway/core'
import { chain, memoize } from '@jetway/core/compose'
import { nearestName } from '@jetway/core/protocol'
import type { DefinitionChange, SourceChanges } from './change-types.ts'
import { changeTool } from './changed-tool.ts'
import { derive, type Tool } from '../definitions.ts'
import { createRelations } from '../relations.ts'
import type { Described } from '../types.ts'
import { each, loggerOf, type ViewOptions, viewOf } from '../view.ts'

type AnyChange = DefinitionChange<never, never> & { readonly name?: string }
type Named<Change> = Readonly<Record<string, Change | false | undefined>> | undefined

/**
 * Returns a view of a source: other names and descriptions, fewer arguments or definitions, other results. A tool
 * whose schema does not allow a change is left out, and the log says why (`ERR_MCP_COMPOSE`). A change that names
 * no definition is logged too.
 *
 * A hidden argument has a value of the server. A call that has a hidden argument is refused.
 */
export function change<App = unknown, Locals = unknown, Tools = unknown>(
  source: Source<App, Locals> & Described & { readonly '~tools'?: Tools },
  changes: SourceChanges<NoInfer<Tools>, App, Locals>,
  options: ViewOptions = {},
): Source<App, Locals> & Described {
  const { tools, prompts, resources, resourceTemplates } = changes as SourceChanges<unknown, never, never>
  const logger = loggerOf(options)
  const relate = createRelations()
  const warned = new Set<string>()
  /** A source may have no definitions yet, for example because a remote server has not answered. */
  const warn = (kind: string, given: Named<object>, names: readonly string[]): void => {
    if (names.length === 0) return
    for (const name of Object.keys(given ?? {})) {
      const key = `${kind} ${name}`
      if (names.includes(name) || warned.has(key)) continue
      warned.add(key)
      const nearest = nearestName(name, names)
      logger.warn({ kind, name, nearest }, 'A change names a definition that its source does not have')
    }
  }
  const lister = <Definition extends object>(
    kind: string,
    given: Named<AnyChange>,
    { keyOf, apply }: Kind<Definition>,
  ): ((all: readonly Definition[]) => readonly Definition[]) => {
    const changed = memoize((definition: Definition) => {
      const own = ownChange(given, keyOf(definition))
      if (own === false) return undefined
      return own === undefined ? definition : visibleTo(apply(definition, own), own)
    })
    return (all) => {
      warn(kind, given, all.map(keyOf))
      return each(all, changed, { logger, name: keyOf })
    }
  }
  const listTools = lister<Tool>('tool', tools, {
    keyOf: ({ name }) => name,
    apply: (tool, own) => changeTool(tool, own),
  })
  const named = namesOf(tools)
  const view = viewOf(source, {
    tools: (all) => relate(listTools(all), named),
    prompts: lister('prompt', prompts, { keyOf: ({ name }) => name, apply: shownAs }),
    resources: lister('resource', resources, { keyOf: ({ uri }) => uri, apply: shownAs }),
    resourceTemplates: lister('resource template', resourceTemplates, {
      keyOf: ({ uriTemplate }) => uriTemplate,
      apply: shownAs,
    }),
  })
  return view as Source<App, Locals>
}

interface Kind<Definition> {
  readonly keyOf: (definition: Definition) => string
  readonly apply: (definition: Definition, change: AnyChange) => Definition
}

const ownChange = <Change>(given: Named<Change>, name: string): Change | false | undefined =>
  given !== undefined && Object.hasOwn(given, name) ? given[name] : undefined

/** The names of the tools that are renamed or left out, for the relations of the others. */
const namesOf = (given: Named<AnyChange>): ReadonlyMap<string, string | undefined> =>
  new Map(
    Object.entries(given ?? {}).flatMap(([name, own]): [string, string | undefined][] => {
      if (own === false) return [[name, undefined]]
      return own?.name === undefined ? [] : [[name, own.name]]
    }),
  )

interface Shown {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
}

const shownAs = <Definition extends Shown>(
  definition: Definition,
  { name, title, description }: AnyChange,
): Definition =>
  derive<Shown>(definition, {
    ...(name !== undefined && { name }),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
  }) as Definition

type Visible = ((ctx: never) => unknown) | undefined

/** Adds the rule of a change to the definition's own. Both must allow the caller. */
function visibleTo<Definition extends object>(definition: Definition, { visible }: AnyChange): Definition {
  if (visible === undefined) return definition
  const { visible: own } = definition as { readonly visible?: Visible }
  const both = (ctx: never): unknown =>
    chain(own === undefined || own.call(definition, ctx), (allowed) => allowed === true && visible(ctx))
  const { cache } = definition as { readonly cache?: object }
  return derive<{ visible?: Visible; cache?: object }>(definition, {
    visible: both,
    // A result that only some callers may see is not shared by caches.
    ...(cache !== undefined && { cache: { ...cache, cacheScope: 'private' } }),
  }) as Definition
}
