import { defineTool } from '@jetway/core'
import { z } from 'zod'
import { PICTURE } from './get-tiny-image.ts'
import { READS } from './hints.ts'

const MESSAGES = {
  error: { text: 'Error: Operation failed', priority: 1, audience: ['user', 'assistant'] },
  success: { text: 'Operation completed successfully', priority: 0.7, audience: ['user'] },
  debug: { text: 'Debug: Cache hit ratio 0.95, latency 150ms', priority: 0.3, audience: ['assistant'] },
} as const

export const getAnnotatedMessage = defineTool({
  name: 'get-annotated-message',
  title: 'Get Annotated Message Tool',
  description: 'Demonstrates how annotations can be used to provide metadata about content.',
  inputSchema: z.object({
    messageType: z
      .enum(['error', 'success', 'debug'])
      .describe('Type of message to demonstrate different annotation patterns'),
    includeImage: z.boolean().default(false).describe('Whether to include an example image'),
  }),
  annotations: READS,
  handler({ messageType, includeImage }) {
    const { text, priority, audience } = MESSAGES[messageType]
    const message = { type: 'text', text, annotations: { priority, audience } } as const
    const image = {
      type: 'image',
      data: PICTURE,
      mimeType: 'image/png',
      annotations: { priority: 0.5, audience: ['user'] },
    } as const
    return { content: includeImage ? [message, image] : [message] }
  },
})
