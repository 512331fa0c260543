import type { Implementation } from '../protocol/types.ts'
import { interpretingEngine } from '../schema/interpreting-engine.ts'
import { ServerBase, type ServerParts } from './server-base.ts'
import type { LimitOptions, ServerOptions } from './options.ts'

/** The options of a server without tasks, extensions and questions to its clients. */
export interface EdgeServerOptions<App = unknown> extends Omit<
  ServerOptions<App>,
  'tasks' | 'extensions' | 'requestState' | 'telemetry' | 'limits'
> {
  readonly limits?: Omit<LimitOptions, 'subscriptions' | 'inputTimeoutMs' | 'maxInputRounds'>
}

const EDGE_PARTS: ServerParts = { schemaEngine: interpretingEngine }

/**
 * A smaller server for Workers and functions, with tools, resources, prompts, middleware and events. The
 * `McpServer` in `@jetway/core` also supports resource templates, questions, subscriptions, tasks,
 * extensions, observed sources, connections and single messages. Both accept the same definitions. In this
 * server, tools with `taskSupport` run like any other tools, subscriber hooks are never called, and tools
 * with `asks` are rejected.
 */
export class McpServer<Locals = unknown, App = unknown> extends ServerBase<Locals, App> {
  /** @throws `ERR_MCP_OPTION`, `ERR_MCP_REVISION`, `ERR_MCP_INVALID_ICON` */
  constructor(info: Implementation, options: EdgeServerOptions<App> = {}) {
    super(info, options, EDGE_PARTS)
  }
}
