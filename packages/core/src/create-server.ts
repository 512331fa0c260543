import type { Implementation } from './protocol/types.ts'
import { McpServer } from './server.ts'
import type { ServerOptions } from './server-options.ts'

/**
 * Creates a server that says what it demands of its mounts and has `ctx.app` inferred from its `lifespan`, which
 * `new McpServer<Mount>(…)` cannot: a type argument that is given turns off the inference of the others.
 *
 * `createServer<{ user: User }>()(info, { lifespan: () => openDatabase() })`
 */
export function createServer<Mount = unknown>(): <App = unknown>(
  info: Implementation,
  options?: ServerOptions<App>,
) => McpServer<Mount, App> {
  return (info, options) => new McpServer(info, options)
}
