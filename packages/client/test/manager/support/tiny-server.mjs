/**
 * A small server of 2025-06-18 that starts quickly. `wrapper` runs it as a child of another process,
 * `wrapper detached` in another process group; `stubborn` ignores
 * the end of its input and SIGTERM. It writes `server <pid>` to stderr.
 */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const modes = process.argv.slice(2)
process.stderr.write(`server ${process.pid}\n`)
if (modes.includes('stubborn')) {
  process.on('SIGTERM', () => {})
  setInterval(() => {}, 60_000)
}
if (modes[0] === 'wrapper') {
  // A signal to the wrapper's group does not reach another group.
  const detached = modes[1] === 'detached'
  spawn(process.execPath, [import.meta.filename, ...modes.slice(1)], { stdio: 'inherit', detached })
} else {
  const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const text = (value) => ({ content: [{ type: 'text', text: String(value) }] })
  const answers = {
    initialize: () => ({
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'tiny', version: '1' },
    }),
    ping: () => ({}),
    'tools/list': () => ({
      tools: ['pid', 'never'].map((name) => ({ name, inputSchema: { type: 'object' } })),
    }),
    'tools/call': ({ name }) => (name === 'never' ? undefined : text(process.pid)),
  }
  const notFound = { error: { code: -32601, message: 'Method not found' } }
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line)
    if (id === undefined) return
    const result = answers[method]?.(params)
    if (!(method in answers)) say({ id, ...notFound })
    else if (result !== undefined) say({ id, result })
  })
}
