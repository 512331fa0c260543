import { asks, elicit, elicitUrl, McpServer, sample, ToolError } from '@jetway/core'
import { z } from 'zod'

/** A tool name that, together with its prefix, exceeds the limit of model APIs. */
export const LONG = 'a_tool_whose_name_is_as_long_as_servers_may_have_them_and_longer'

/** Creates a server with a tool for each feature of a host. */
export function shop(): McpServer {
  const server = new McpServer({ name: 'shop', version: '1.0.0' }, { instructions: 'Prices are in euros.' })
  server.addTool({
    name: 'price',
    description: 'The price of something',
    inputSchema: {
      type: 'object',
      properties: { thing: { $ref: '#/$defs/thing' } },
      required: ['thing'],
      $defs: { thing: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } },
    },
    handler: ({ thing }) => `${(thing as { name: string }).name}: 3`,
  })
  server.addTool({ name: LONG, handler: () => 'the long one' })
  server.addTool({
    name: 'fail',
    handler: () => {
      throw new ToolError('Out of \u001b[31mpaper')
    },
  })
  server.addTool({
    name: 'wait',
    handler: (_, { signal }) =>
      new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('stopped'))),
  })
  const none = z.object({})
  server.addTool({
    name: 'order',
    inputSchema: none,
    asks: asks(none).ask('form', () =>
      elicit(
        'What do you want?',
        z.object({
          count: z.number().int().min(1).describe('How many'),
          size: z.enum(['small', 'large']),
          gift: z.boolean().default(false),
          note: z.string().optional(),
        }),
      ),
    ),
    handler: (_, { answers }) => JSON.stringify(answers.form),
  })
  server.addTool({
    name: 'pay',
    inputSchema: none,
    asks: asks(none).ask('paid', () => elicitUrl('Pay here', 'https://pay.example/order?id=1')),
    handler: () => 'paid',
  })
  server.addTool({
    name: 'slogan',
    inputSchema: none,
    asks: asks(none).ask('slogan', () =>
      sample({ messages: [{ role: 'user', content: { type: 'text', text: 'A slogan' } }], maxTokens: 20 }),
    ),
    handler: (_, { answers }) => {
      const { content } = answers.slogan
      return !Array.isArray(content) && 'text' in content ? content.text : '?'
    },
  })
  return server
}
