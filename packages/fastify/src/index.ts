export { mcp } from './plugin.ts'
export type { McpPluginOptions, McpSelector } from './options.ts'
