import { defineTool } from '@jetway/core'
import { z } from 'zod'
import { READS } from './hints.ts'

// #region get-sum
export const getSum = defineTool({
  name: 'get-sum',
  title: 'Get Sum Tool',
  description: 'Returns the sum of two numbers',
  inputSchema: z.object({
    a: z.number().describe('First number'),
    b: z.number().describe('Second number'),
  }),
  annotations: READS,
  handler: ({ a, b }) => ({
    content: [{ type: 'text', text: `The sum of ${a} and ${b} is ${a + b}.` }],
  }),
})
// #endregion
