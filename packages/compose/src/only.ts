import { toolTest } from '@jetway/client/tool-filter'
import type { Source } from '@jetway/core'
import { createRelations } from './relations.ts'
import type { Described } from './types.ts'
import { viewOf } from './view.ts'

/** Patterns in which `*` stands for any characters. */
export type Patterns =
  | readonly string[]
  | {
      /** @default all */
      readonly allow?: readonly string[]
      /** Takes precedence over `allow`. @default none */
      readonly deny?: readonly string[]
    }

/** What {@link only} leaves of a source. A kind that is not named stays whole. */
export interface Selection {
  /** By name. */
  readonly tools?: Patterns
  /** By name. */
  readonly prompts?: Patterns
  /** By URI. */
  readonly resources?: Patterns
  /** By URI template. */
  readonly resourceTemplates?: Patterns
}

/** Leaves only the definitions of a source whose names match. Calls of others fail as if they did not exist. */
export function only<App = unknown, Locals = unknown>(
  selection: Selection,
  source: Source<App, Locals> & Described,
): Source<App, Locals> & Described {
  const tools = testOf(selection.tools)
  const prompts = testOf(selection.prompts)
  const resources = testOf(selection.resources)
  const templates = testOf(selection.resourceTemplates)
  const relate = createRelations()
  const view = viewOf(source, {
    tools: (all) => {
      const left = all.filter(({ name }) => tools(name))
      const gone = all.filter(({ name }) => !tools(name)).map(({ name }) => [name, undefined] as const)
      return relate(left, new Map(gone))
    },
    prompts: (all) => all.filter(({ name }) => prompts(name)),
    resources: (all) => all.filter(({ uri }) => resources(uri)),
    resourceTemplates: (all) => all.filter(({ uriTemplate }) => templates(uriTemplate)),
  })
  return view as Source<App, Locals>
}

const testOf = (patterns: Patterns = {}): ((name: string) => boolean) =>
  toolTest(isList(patterns) ? { allow: patterns } : patterns)

const isList = (patterns: Patterns): patterns is readonly string[] => Array.isArray(patterns)
