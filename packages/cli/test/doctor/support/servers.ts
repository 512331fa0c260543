/** A server that answers `initialize` and ends with its input. `before` runs first. */
export const server = (before = ''): string => `${before}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (id === undefined) return
  const result = method === 'initialize'
    ? { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'a', version: '1' } }
    : {}
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
})
`

/** A program that says it is Node.js of some version, and otherwise is ours. */
export const fakeNode = (version: string): string => `#!/bin/sh
if [ "$1" = -p ]; then echo "v${version} false"; else exec "${process.execPath}" "$@"; fi
`
