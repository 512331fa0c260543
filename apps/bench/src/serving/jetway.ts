import { McpServer, type ServerOptions } from '@jetway/core'
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

/** Creates the server that every Jetway contender uses. Without `options`, it has only default options. */
export function createServer(
  count: number = toolCount(),
  options: ServerOptions = {},
  prefixOfNames = '',
): McpServer {
  const server = new McpServer({ name: 'bench', version: '1.0.0' }, options)
  server.addTool({
    name: `${prefixOfNames}add`,
    description: 'Adds two numbers',
    inputSchema: addInput,
    handler: add,
  })
  if (count > 1) {
    server.addTool({
      name: `${prefixOfNames}weather`,
      description: 'The weather in a city',
      inputSchema: weatherInput,
      outputSchema: weatherOutput,
      handler: weather,
    })
  }
  for (let index = 2; index < count; index++) {
    server.addTool({
      name: prefixOfNames + listedName(index),
      description: listedDescription(index),
      inputSchema: listedInput,
      handler: () => 'nothing found',
    })
  }
  return server
}

/** Returns the options that every mount uses: all defaults, or a stream for each response. */
export const mountOptions = (): { readonly response?: 'sse' } =>
  process.argv.includes('--stream') ? { response: 'sse' } : {}
