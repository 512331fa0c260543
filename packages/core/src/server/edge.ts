import type { Implementation } from '../protocol/types.ts'
import { createSchemaEngine } from '../schema/engine.ts'
import { ServerBase } from './mcp-server.ts'
import type { ServerOptions } from './options.ts'
import type { ServerParts } from './parts.ts'

/** What a server at the edge takes: the options of every server, but those of tasks. */
export type EdgeServerOptions<App = unknown> = Omit<ServerOptions<App>, 'tasks'>

const EDGE_PARTS: ServerParts = { schemaEngine: createSchemaEngine }

/**
 * The definition of a server that answers requests one by one, as Workers and functions do. It is smaller than the
 * `McpServer` of `@jetway/core`, because it has no tasks, no subscriptions, no connections and nothing for one session:
 * a tool with `taskSupport` runs as any other, and hooks for subscribers are never called. Tools, resources, prompts,
 * completions, questions in rounds, middleware and events are the same.
 *
 * `Locals` is what every mount's `locals` option must give (`ctx.locals`); `App` is what `lifespan` opens (`ctx.app`).
 */
export class McpServer<Locals = unknown, App = unknown> extends ServerBase<Locals, App> {
  /** @throws `ERR_MCP_OPTION`, `ERR_MCP_REVISION`, `ERR_MCP_INVALID_ICON` */
  constructor(info: Implementation, options: EdgeServerOptions<App> = {}) {
    super(info, options, EDGE_PARTS)
  }
}
