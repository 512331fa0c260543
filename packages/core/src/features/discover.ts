import type { Revision } from '../protocol/revisions/revision.ts'
import type { ServerCapabilities } from '../protocol/types.ts'
import type { ClientView } from '../runtime/client-view.ts'
import type { MethodEntry } from '../runtime/dispatcher.ts'
import { complete } from '../runtime/outcome.ts'

export interface DiscoverOptions {
  readonly capabilities: (revision: Revision) => ServerCapabilities
  readonly instructions: (client: ClientView) => string | undefined | Promise<string | undefined>
}

/** `server/discover`, what `initialize` is without a session: https://modelcontextprotocol.io/specification/2026-07-28/server/discover */
export const discoverEntry = ({ capabilities, instructions }: DiscoverOptions): MethodEntry => ({
  handle: async (_params, ctx) => {
    const text = await instructions(ctx.client)
    return complete({
      supportedVersions: (ctx.scope.served ?? [ctx.revision]).map(({ version }) => version),
      capabilities: ctx.revision.projectCapabilities(capabilities(ctx.revision)),
      ...(text !== undefined && { instructions: text }),
    })
  },
})
