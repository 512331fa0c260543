import type { Revision } from '../protocol/revisions/revision.ts'
import type { ServerCapabilities } from '../protocol/types.ts'
import type { ClientView } from '../call/client-view.ts'
import type { MethodEntry } from '../call/method-table.ts'
import { complete } from '../call/result.ts'
import type { Caching } from './registry/caching.ts'

export interface DiscoverOptions {
  readonly capabilities: (revision: Revision) => ServerCapabilities
  readonly instructions?:
    | string
    | ((client: ClientView) => string | undefined | Promise<string | undefined>)
    | undefined
  readonly caching: Caching
}

/**
 * Serves `server/discover`, the counterpart of `initialize` without sessions:
 * https://modelcontextprotocol.io/specification/2026-07-28/server/discover
 */
export const discoverEntry = ({ capabilities, instructions, caching }: DiscoverOptions): MethodEntry => ({
  handle: async (_params, ctx) => {
    const text = typeof instructions === 'function' ? await instructions(ctx.client) : instructions
    const result = {
      supportedVersions: (ctx.scope.served ?? [ctx.revision]).map(({ version }) => version),
      capabilities: ctx.revision.project('capabilities', capabilities(ctx.revision)),
      ...(text !== undefined && { instructions: text }),
    }
    const hints = caching.of('discover', typeof instructions === 'function' ? 'perhaps' : 'never')
    return { ...complete(result), hints }
  },
})
