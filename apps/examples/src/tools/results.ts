import { content, invalidParams, McpServer, result, ToolError } from '@jetway/core'
import { z } from 'zod'

// #region plain
export const server = new McpServer({ name: 'results', version: '1.0.0' })

server.addTool({ name: 'text', handler: () => 'a string is text' })
server.addTool({ name: 'json', handler: () => [1, 2, 3] })
server.addTool({ name: 'nothing', handler: () => {} })
// #endregion

// #region structured
server.addTool({
  name: 'measure',
  description: 'The size of a text',
  inputSchema: z.object({ text: z.string() }),
  outputSchema: z.object({ characters: z.int(), lines: z.int() }),
  handler({ text }) {
    return { characters: text.length, lines: text.split('\n').length }
  },
})
// #endregion

// #region wrap
server.addTool({
  name: 'words',
  description: 'The words of a text',
  inputSchema: z.object({ text: z.string() }),
  outputSchema: z.array(z.string()),
  wrapOutput: 'items',
  handler: ({ text }) => text.split(/\s+/),
})
// #endregion

// #region blocks
server.addTool({
  name: 'chart',
  description: 'A chart with its source',
  handler: () => [
    content.text('Sales have grown.'),
    content.image(Uint8Array.of(71, 73, 70), 'image/gif'),
    content.link({ uri: 'sales://2025', name: 'sales', mimeType: 'text/csv' }),
  ],
})
// #endregion

// #region whole
server.addTool({
  name: 'forecast',
  description: 'The weather tomorrow',
  outputSchema: z.object({ high: z.number() }),
  handler: () =>
    result({
      structured: { high: 21 },
      content: 'Sunny, up to 21 degrees.',
      _meta: { 'com.example/station': 'north' },
    }),
})
// #endregion

// #region errors
server.addTool({
  name: 'divide',
  description: 'Divides a by b',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  handler({ a, b }) {
    if (b === 0) throw new ToolError('b must not be 0: choose another divisor')
    return a / b
  },
})
server.addTool({
  name: 'legacy',
  description: 'Is there for old clients only',
  handler() {
    throw invalidParams('The tool legacy was replaced', { use: 'divide' })
  },
})
server.addTool({
  name: 'broken',
  description: 'Has a bug',
  handler() {
    throw new Error('connect ECONNREFUSED 10.0.0.7:5432')
  },
})
// #endregion
