import { defineTool } from '@jetway/core'
import { z } from 'zod'
import { ACTS } from '../tools/hints.ts'
import { atOnce, type Outcome, runInClient } from './client-task.ts'

export const triggerSamplingRequestAsync = defineTool({
  name: 'trigger-sampling-request-async',
  title: 'Trigger Async Sampling Request Tool',
  description:
    'Trigger an async sampling request that the CLIENT executes as a background task. ' +
    'Demonstrates bidirectional MCP tasks where the server sends a request and the client ' +
    'executes it asynchronously, allowing the server to poll for progress and results.',
  inputSchema: z.object({
    prompt: z.string().describe('The prompt to send to the LLM'),
    maxTokens: z.number().default(100).describe('Maximum number of tokens to generate'),
  }),
  annotations: { ...ACTS, openWorldHint: true },
  timeoutMs: 120_000,
  visible: ({ client }) =>
    client.supports('sampling') && client.supports('tasks.requests.sampling.createMessage'),
  async handler({ prompt, maxTokens }, ctx) {
    const text = `Resource trigger-sampling-request-async context: ${prompt}`
    const params = {
      task: { ttl: 300_000 },
      messages: [{ role: 'user', content: { type: 'text', text } }],
      systemPrompt: 'You are a helpful test server.',
      maxTokens,
      temperature: 0.7,
    }
    const polling = { maxPolls: 60, isShown: () => true }
    const outcome = await runInClient(ctx, 'sampling/createMessage', params, polling)
    return { content: [{ type: 'text', text: textOf(outcome) }] }
  },
})

function textOf(outcome: Outcome): string {
  if (outcome.kind === 'at once') return atOnce(outcome.result)
  if (outcome.kind === 'ended') return outcome.text
  const result = JSON.stringify(outcome.result, null, 2)
  return `[COMPLETED] Async sampling completed!\n\n**Progress:**\n${outcome.progress}\n\n**Result:**\n${result}`
}
