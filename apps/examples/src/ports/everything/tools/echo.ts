import { defineTool } from '@jetway/core'
import { z } from 'zod'
import { READS } from './hints.ts'

export const echo = defineTool({
  name: 'echo',
  title: 'Echo Tool',
  description: 'Echoes back the input string',
  inputSchema: z.object({ message: z.string().describe('Message to echo') }),
  annotations: READS,
  handler: ({ message }) => ({ content: [{ type: 'text', text: `Echo: ${message}` }] }),
})
