import { defineTool, ToolError } from '@jetway/core'
import { z } from 'zod'
import { contentsOf, problemOf, RESOURCE_TYPES } from '../dynamic-resources.ts'
import { READS } from './hints.ts'

export const getResourceReference = defineTool({
  name: 'get-resource-reference',
  title: 'Get Resource Reference Tool',
  description: 'Returns a resource reference that can be used by MCP clients',
  inputSchema: z.object({
    resourceType: z.enum(RESOURCE_TYPES).default('Text'),
    resourceId: z.number().default(1).describe('ID of the text resource to fetch'),
  }),
  annotations: READS,
  handler({ resourceType, resourceId }) {
    const problem = problemOf(resourceType, resourceId)
    if (problem !== undefined) throw new ToolError(problem)
    const resource = contentsOf(resourceType, resourceId)
    return {
      content: [
        { type: 'text', text: `Returning resource reference for Resource ${resourceId}:` },
        { type: 'resource', resource },
        { type: 'text', text: `You can access this resource using the URI: ${resource.uri}` },
      ],
    }
  },
})
