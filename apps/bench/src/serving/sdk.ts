import { McpServer } from '@modelcontextprotocol/server'
import {
  add,
  addInput,
  listedDescription,
  listedInput,
  listedName,
  toolCount,
  weather,
  weatherInput,
  weatherOutput,
} from './tools.ts'

const text = (value: string): { content: { type: 'text'; text: string }[] } => ({
  content: [{ type: 'text', text: value }],
})

/** Creates a server for each session, because the official SDK serves one client per server. */
export function createSdkServer(count: number = toolCount()): McpServer {
  const server = new McpServer({ name: 'bench', version: '1.0.0' })
  server.registerTool('add', { description: 'Adds two numbers', inputSchema: addInput }, (args) =>
    text(add(args)),
  )
  server.registerTool(
    'weather',
    { description: 'The weather in a city', inputSchema: weatherInput, outputSchema: weatherOutput },
    (args) => {
      const structuredContent = weather(args)
      return { ...text(JSON.stringify(structuredContent)), structuredContent }
    },
  )
  for (let index = 2; index < count; index++) {
    server.registerTool(
      listedName(index),
      { description: listedDescription(index), inputSchema: listedInput },
      () => text('nothing found'),
    )
  }
  return server
}
