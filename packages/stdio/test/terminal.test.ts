import { PassThrough } from 'node:stream'
import { McpServer } from '@jetway/core'
import { expect, it, vi } from 'vitest'
import { serveStdio } from '../src/index.ts'
import { command } from '../src/terminal.ts'

async function stderrOf(input: PassThrough): Promise<string> {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  try {
    const server = new McpServer({ name: 'notes', version: '1' })
    const handle = await serveStdio(server, { input, output: new PassThrough() })
    const written = write.mock.calls.map(([text]) => String(text)).join('')
    await handle.close()
    return written
  } finally {
    write.mockRestore()
  }
}

it('in a terminal, `serveStdio` prints to stderr that it waits for a client, and how to try the server', async () => {
  const lines = (await stderrOf(Object.assign(new PassThrough(), { isTTY: true }))).trimEnd().split('\n')
  expect(lines).toEqual([
    '[jetway] notes waits for messages of an MCP client on stdin. Clients start this command themselves. Ctrl+C ends it.',
    expect.stringMatching(
      /^\[jetway\] To try it, paste \{"jsonrpc":"2\.0","id":1,"method":"ping"\} here, or run: npx .*mcp-inspector \S+/,
    ),
  ])
})

it('`serveStdio` prints nothing if it was started by a client', async () => {
  expect(await stderrOf(new PassThrough())).toBe('')
})

it.each([
  ['node server.js', ['/usr/bin/node', `${process.cwd()}/server.js`], []],
  ['node dist/server.js "my notes"', ['/usr/bin/node', `${process.cwd()}/dist/server.js`, 'my notes'], []],
  [
    'npx tsx server.ts',
    ['/usr/bin/node', `${process.cwd()}/server.ts`],
    ['--import', 'file:///a/node_modules/tsx/dist/loader.mjs'],
  ],
  ['node server.js', [], []],
  ['node server.js', ['/usr/bin/node.exe', `${process.cwd()}/server.js`], []],
  [`node ${process.cwd()}`, ['/usr/bin/node', process.cwd()], []],
  ['bun server.ts', ['/usr/bin/bun', `${process.cwd()}/server.ts`], []],
])('`serveStdio` suggests the command %s', (expected, argv, execArgv) => {
  expect(command(argv, execArgv)).toBe(expected)
})
