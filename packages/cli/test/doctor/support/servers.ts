/**
 * Returns the code of a server that responds to `initialize`, and exits when its input ends. The code in
 * `before` runs first.
 */
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

/** Returns a program that claims to be Node.js of this version, but otherwise runs the installed one. */
export const fakeNode = (version: string): string => `#!/bin/sh
if [ "$1" = -p ]; then echo "v${version} false"; else exec "${process.execPath}" "$@"; fi
`
