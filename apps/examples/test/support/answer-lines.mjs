/**
 * Implements the parts of a server that the examples of clients need. `methods` contains a function for each
 * method.
 */
import { createInterface } from 'node:readline'

export function answerLines(name, methods) {
  const results = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name, version: '1.0.0' },
    }),
    ...methods,
  }
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line)
    if (id === undefined) return
    const result = results[method]?.(params)
    const error = { code: -32601, message: 'Method not found' }
    console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }))
  })
}
