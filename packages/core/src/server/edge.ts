import type { Implementation } from '../protocol/types.ts'
import { interpretingEngine } from '../schema/interpreting-engine.ts'
import { ServerBase } from './server-base.ts'
import type { LimitOptions, ServerOptions } from './options.ts'
import type { ServerParts } from './parts.ts'

/** The options of a server at the edge: no tasks, extensions or questions to the client. */
export interface EdgeServerOptions<App = unknown> extends Omit<
  ServerOptions<App>,
  'tasks' | 'extensions' | 'requestState' | 'limits'
> {
  /** Bounds on calls, results, lists and the time of handlers. */
  readonly limits?: Omit<LimitOptions, 'subscriptions' | 'inputTimeoutMs' | 'maxInputRounds'>
}

const EDGE_PARTS: ServerParts = { schemaEngine: interpretingEngine }

/**
 * The definition of a server that answers requests one by one and asks its clients nothing, as most Workers and
 * functions do: tools, resources, prompts, middleware and events. It is smaller than the `McpServer` of `@jetway/core`, which has
 * resource templates, questions, subscriptions, tasks, extensions, observed sources, connections and single messages too.
 * Definitions fit both: here tools with `taskSupport` run as any other, and hooks for subscribers are never called. Tools
 * with `asks` are refused.
 *
 * `Locals` is what every mount's `locals` option must give (`ctx.locals`); `App` is what `lifespan` opens (`ctx.app`).
 */
export class McpServer<Locals = unknown, App = unknown> extends ServerBase<Locals, App> {
  /** @throws `ERR_MCP_OPTION`, `ERR_MCP_REVISION`, `ERR_MCP_INVALID_ICON` */
  constructor(info: Implementation, options: EdgeServerOptions<App> = {}) {
    super(info, options, EDGE_PARTS)
  }
}
