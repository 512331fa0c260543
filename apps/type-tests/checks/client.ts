import { Client, type ClientOptions, type ClientTask } from '@jetway/client'
import { defineTool } from '@jetway/core'
import { zod3 } from '@jetway/zod3'
import { type } from 'arktype'
import { z } from 'zod'
import { z as z3 } from 'zod3'
import { holds, type Same } from './support.ts'

const client = new Client(
  { name: 'types', version: '1' },
  {
    revisions: ['2025-11-25', '2026-07-28'],
    handlers: {
      elicit: ({ message, requestedSchema }, { signal }) => {
        const fields: readonly string[] = Object.keys(requestedSchema.properties)
        return signal.aborted ? { action: 'cancel' } : { action: 'accept', content: { message, fields } }
      },
      sample: ({ messages, maxTokens }) => ({
        role: 'assistant',
        model: 'm',
        content: { type: 'text', text: `${messages.length} of ${maxTokens}` },
      }),
      roots: [{ uri: 'file:///work' }],
    },
  },
)

// @ts-expect-error no such revision
export const old: ClientOptions = { revisions: ['2020-01-01'] }
// @ts-expect-error no such action
export const odd: ClientOptions['handlers'] = { elicit: () => ({ action: 'maybe' }) }

const forecast = defineTool({
  name: 'forecast',
  inputSchema: z.object({ city: z.string(), days: z.number().default(3) }),
  outputSchema: z.object({ high: z.number() }),
  handler: ({ days }) => ({ high: days }),
})
const plain = defineTool({ name: 'plain', handler: () => 'x' })
const optional = defineTool({
  name: 'optional',
  inputSchema: z.object({ page: z.number().optional() }),
  handler: () => 'x',
})
const covered = defineTool({
  name: 'covered',
  inputSchema: zod3(z3.object({ a: z3.number() })),
  outputSchema: zod3(z3.object({ b: z3.string() })),
  handler: ({ a }) => ({ b: String(a) }),
})
const ark = defineTool({
  name: 'ark',
  inputSchema: type({ a: 'number' }),
  outputSchema: type({ b: 'string' }),
  handler: ({ a }) => ({ b: String(a) }),
})
const literal = defineTool({
  name: 'literal',
  inputSchema: { type: 'object', properties: { paid: { type: 'boolean' } }, required: ['paid'] },
  handler: ({ paid }) => String(paid),
})

export async function calls(): Promise<void> {
  // Arguments have the input type of the schema, before defaults are applied.
  const { structuredContent } = await client.callTool(forecast, { city: 'Rome' })
  holds<Same<typeof structuredContent, { high: number } | undefined>>()
  await client.callTool(forecast, { city: 'Rome', days: 1 }, { timeoutMs: 1 })
  // @ts-expect-error no city
  await client.callTool(forecast, { days: 1 })
  // @ts-expect-error no arguments
  await client.callTool(forecast)
  // @ts-expect-error a text where a number is due
  await client.callTool(forecast, { city: 'Rome', days: '1' })

  await client.callTool(plain)
  await client.callTool(optional)
  await client.callTool(optional, { page: 2 })
  // @ts-expect-error a text where a number is due
  await client.callTool(optional, { page: '2' })

  const three = await client.callTool(covered, { a: 1 })
  holds<Same<typeof three.structuredContent, { b: string } | undefined>>()
  const arked = await client.callTool(ark, { a: 1 })
  holds<Same<typeof arked.structuredContent, { b: string } | undefined>>()
  // @ts-expect-error a text where a number is due
  await client.callTool(ark, { a: '1' })
  await client.callTool(literal, { paid: true })
  // @ts-expect-error a text where a boolean is due
  await client.callTool(literal, { paid: 'true' })

  // If a tool is called by its name, nothing is known about its types.
  const { structuredContent: unknown } = await client.callTool('forecast', { anything: 1 })
  holds<Same<typeof unknown, unknown>>()

  const task: ClientTask = await client.startTask('forecast', { city: 'Rome' }, { ttlMs: 1 })
  await task.cancel()
  // @ts-expect-error arguments of prompts are texts
  await client.getPrompt('brief', { days: 3 })
  await client.complete({ prompt: 'brief', argument: 'city' }, 'R')
  // @ts-expect-error neither a prompt nor a template
  await client.complete({ argument: 'city' }, 'R')
}

client.on('log', ({ data }) => {
  holds<Same<typeof data, unknown>>()
})
client.on('resourceUpdated', ({ uri }) => {
  holds<Same<typeof uri, string>>()
})
// @ts-expect-error no such event
client.on('nothing', () => {})
