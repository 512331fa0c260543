import { defineTool, sample } from '@jetway/core'
import { z } from 'zod'
import { ACTS } from '../tools/hints.ts'

export const triggerSamplingRequest = defineTool({
  name: 'trigger-sampling-request',
  title: 'Trigger Sampling Request Tool',
  description: 'Trigger a Request from the Server for LLM Sampling',
  inputSchema: z.object({
    prompt: z.string().describe('The prompt to send to the LLM'),
    maxTokens: z.number().default(100).describe('Maximum number of tokens to generate'),
  }),
  annotations: { ...ACTS, openWorldHint: true },
  visible: ({ client }) => client.supports('sampling'),
  asks: {
    result: ({ prompt, maxTokens }) => {
      const text = `Resource trigger-sampling-request context: ${prompt}`
      return sample({
        messages: [{ role: 'user', content: { type: 'text', text } }],
        systemPrompt: 'You are a helpful test server.',
        maxTokens,
        temperature: 0.7,
      })
    },
  },
  handler: (_args, { answers }) => ({
    content: [{ type: 'text', text: `LLM sampling result: \n${JSON.stringify(answers.result, null, 2)}` }],
  }),
})
