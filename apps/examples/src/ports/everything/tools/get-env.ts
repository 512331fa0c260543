import { defineTool } from '@jetway/core'
import { READS } from './hints.ts'

export const getEnv = defineTool({
  name: 'get-env',
  title: 'Print Environment Tool',
  description: 'Returns all environment variables, helpful for debugging MCP server configuration',
  annotations: READS,
  handler: () => ({ content: [{ type: 'text', text: JSON.stringify(process.env, null, 2) }] }),
})
