import { prefix, sourceOf } from '@jetway/compose'
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

const SERVER = { name: 'bench', version: '1.0.0' }

/** Creates the server that every Jetway contender uses. Without `options`, it has only default options. */
export function createServer(
  count: number = toolCount(),
  options: ServerOptions = {},
  prefixOfNames = '',
): McpServer {
  const server = new McpServer(SERVER, options)
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

/** Creates a server that observes another one, or a server that has the same tools itself. */
export function createPrefixedServer({ observed }: { readonly observed: boolean }): McpServer {
  if (!observed) return createServer(undefined, {}, 'bench_')
  const server = new McpServer(SERVER)
  server.observe(prefix('bench', sourceOf(createServer())))
  return server
}

/** Returns the options that every mount uses: all defaults, or a stream for each response. */
export const mountOptions = (): { readonly response?: 'sse' } =>
  process.argv.includes('--stream') ? { response: 'sse' } : {}
