import type { CallContext } from '../call/context.ts'
import type { Registry } from './registry/registry.ts'
import type { ResourceEntry, ResourceTemplates } from './resources/resource-templates.ts'

import type { AnyResource } from './resources/resource-types.ts'
import type { AnyTool } from './tools/tool-types.ts'
import type { ToolEntry } from './tools/tool-call.ts'

/** The entries that one session has in addition to the server's. They are removed when the session ends. */
export interface SessionRegistry {
  readonly tools: Registry<AnyTool, ToolEntry>
  readonly resources: Registry<AnyResource, ResourceEntry>
  readonly templates: ResourceTemplates
}

/** The entries of the caller's session; undefined for most callers. */
export const sessionEntries = (ctx: CallContext): SessionRegistry | undefined =>
  ctx.scope.session?.registry as SessionRegistry | undefined
