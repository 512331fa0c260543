/** As small as a server can be: one tool, which tells what it was given in its environment. */
import { createInterface } from 'node:readline'

console.error('The shop is open')
const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'shop', version: '1.0.0' },
  }),
  'tools/call': () => ({ content: [{ type: 'text', text: process.env.SHOP_API_KEY }] }),
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const result = results[method]?.(params)
  const error = { code: -32601, message: 'Method not found' }
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }))
})
