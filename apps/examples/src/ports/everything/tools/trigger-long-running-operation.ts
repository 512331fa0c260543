import { setTimeout as delay } from 'node:timers/promises'
import { defineTool } from '@jetway/core'
import { z } from 'zod'
import { READS } from './hints.ts'

export const triggerLongRunningOperation = defineTool({
  name: 'trigger-long-running-operation',
  title: 'Trigger Long Running Operation Tool',
  description: 'Demonstrates a long running operation with progress updates.',
  inputSchema: z.object({
    duration: z.number().default(10).describe('Duration of the operation in seconds'),
    steps: z.number().default(5).describe('Number of steps in the operation'),
  }),
  annotations: READS,
  async handler({ duration, steps }, ctx) {
    for (let step = 1; step < steps + 1; step++) {
      await delay((duration / steps) * 1000, undefined, { signal: ctx.signal })
      await ctx.progress(step, steps)
    }
    const text = `Long running operation completed. Duration: ${duration} seconds, Steps: ${steps}.`
    return { content: [{ type: 'text', text }] }
  },
})
