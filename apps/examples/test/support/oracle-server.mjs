/** A server with one tool, which answers every question the same. */
import { createInterface } from 'node:readline'

const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'oracle', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [{ name: 'ask', inputSchema: { type: 'object' } }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: process.argv[2] }] }),
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const result = results[method]?.(params)
  const error = { code: -32601, message: 'Method not found' }
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }))
})
