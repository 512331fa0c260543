import type { CallContext } from '../call/context.ts'
import type { Registry } from './registry/registry.ts'
import type { ResourceTemplates } from './resources/resource-templates.ts'
import type { ResourceEntry } from './resources/resource-entry.ts'
import type { AnyResource } from './resources/resource-types.ts'
import type { AnyTool } from './tools/tool-types.ts'
import type { ToolEntry } from './tools/tool-call.ts'

/** What one session has beside what its server offers to everybody. Part of the session, and gone with it. */
export interface SessionRegistry {
  readonly tools: Registry<AnyTool, ToolEntry>
  readonly resources: Registry<AnyResource, ResourceEntry>
  readonly templates: ResourceTemplates
}

/** The caller's own; undefined for most, which costs a call one look. */
export const ownOffers = (ctx: CallContext): SessionRegistry | undefined =>
  ctx.scope.settings?.registry as SessionRegistry | undefined

/** What everybody has, each in its place unless the session has its own under that name, and the session's after it. */
export function withOwn<Entry>(
  all: readonly Entry[],
  own: { get(key: string): Entry | undefined; entries(): readonly Entry[] },
  key: (entry: Entry) => string,
): readonly Entry[] {
  const replaced = all.map((entry) => own.get(key(entry)) ?? entry)
  const there = new Set(replaced)
  return [...replaced, ...own.entries().filter((entry) => !there.has(entry))]
}
