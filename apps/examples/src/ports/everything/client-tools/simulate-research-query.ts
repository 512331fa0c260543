import { setTimeout as delay } from 'node:timers/promises'
import { defineTool, type RequestContext } from '@jetway/core'
import { z } from 'zod'
import { ACTS } from '../tools/hints.ts'
import { reportOn, STAGES } from './research-report.ts'

const STAGE_MS = 1000

const choices = (topic: string) =>
  topic.toLowerCase().includes('python')
    ? [
        { const: 'programming', title: 'Python programming language' },
        { const: 'snake', title: 'Python snake species' },
        { const: 'comedy', title: 'Monty Python comedy group' },
      ]
    : [
        { const: 'technical', title: 'Technical/scientific perspective' },
        { const: 'historical', title: 'Historical perspective' },
        { const: 'current', title: 'Current events/news perspective' },
      ]

/** Runs as a task. Its progress messages become the task's status messages. */
export const simulateResearchQuery = defineTool({
  name: 'simulate-research-query',
  title: 'Simulate Research Query',
  description:
    'Simulates a deep research operation that gathers, analyzes, and synthesizes information. ' +
    'Demonstrates MCP task-based operations with progress through multiple stages. ' +
    "If 'ambiguous' is true and client supports elicitation, sends an elicitation request for clarification.",
  inputSchema: z.object({
    topic: z.string().describe('The research topic to investigate'),
    ambiguous: z
      .boolean()
      .default(false)
      .describe('Simulate an ambiguous query that requires clarification (triggers input_required status)'),
  }),
  taskSupport: 'required',
  annotations: ACTS,
  async handler({ topic, ambiguous }, ctx) {
    let clarification: string | undefined
    for (const [index, stage] of STAGES.entries()) {
      await ctx.progress(index, STAGES.length, `${stage}...`)
      if (index === 2 && ambiguous && ctx.client.supports('elicitation')) {
        const found = `Found multiple interpretations for "${topic}". Requesting clarification...`
        await ctx.progress(index, STAGES.length, found)
        clarification = await clarify(topic, ctx)
        const next = `Continuing with interpretation: "${clarification}"...`
        await ctx.progress(index, STAGES.length, next)
      }
      await delay(STAGE_MS, undefined, { signal: ctx.signal })
    }
    return { content: [{ type: 'text', text: reportOn(topic, clarification) }] }
  },
})

async function clarify(topic: string, ctx: Pick<RequestContext, 'elicit'>): Promise<string> {
  const interpretation = {
    type: 'string',
    title: 'Clarification',
    description: 'Which interpretation of the topic do you mean?',
    oneOf: choices(topic),
  }
  const form = { type: 'object', properties: { interpretation }, required: ['interpretation'] }
  const message = `The research query "${topic}" could have multiple interpretations. Please clarify what you're looking for:`
  try {
    const answer = await ctx.elicit(message, form, { declined: 'see' })
    if (answer.action === 'accept') return (answer.content as { interpretation: string }).interpretation
    return `User ${answer.action === 'decline' ? 'declined' : 'cancelled'} - using default interpretation`
  } catch {
    return 'technical (default - elicitation unavailable)'
  }
}
