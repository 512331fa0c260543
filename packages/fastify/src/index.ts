export { mcp } from './plugin.ts'
export type { McpPluginOptions } from './plugin.ts'
