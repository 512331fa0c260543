import { defineTool } from '@jetway/core'
import { z } from 'zod'
import { uriOf } from '../dynamic-resources.ts'
import { READS } from './hints.ts'

export const getResourceLinks = defineTool({
  name: 'get-resource-links',
  title: 'Get Resource Links Tool',
  description: 'Returns up to ten resource links that reference different types of resources',
  inputSchema: z.object({
    count: z.number().min(1).max(10).default(3).describe('Number of resource links to return (1-10)'),
  }),
  annotations: READS,
  handler({ count }) {
    const links = Array.from({ length: Math.floor(count) }, (_, index) => {
      const id = index + 1
      const type = id % 2 === 0 ? 'Text' : 'Blob'
      return {
        type: 'resource_link',
        uri: uriOf(type, id),
        name: `${type} Resource ${id}`,
        description: `Resource ${id}: plaintext resource`,
        mimeType: 'text/plain',
      } as const
    })
    const text = `Here are ${count} resource links to resources available in this server:`
    return { content: [{ type: 'text', text }, ...links] }
  },
})
