export { mcp } from './plugin.ts'
export { resourceMetadata } from './well-known.ts'
export type { McpPluginOptions, McpSelector } from './options.ts'
