export {
  mcp,
  type KoaContext,
  type McpMount,
  type McpMountOptions,
  type McpSelector,
  type NodeRequest,
  type NodeResponse,
} from './mcp.ts'
export { resourceMetadata } from './well-known.ts'
