import { basename, relative } from 'node:path'

/**
 * Returns a message for users who start a stdio server in a terminal, where the server would otherwise seem
 * to do nothing.
 */
export function describeWait(name = 'The server'): string {
  return `[jetway] ${name} waits for messages of an MCP client on stdin. Clients start this command themselves. Ctrl+C ends it.
[jetway] To try it, paste {"jsonrpc":"2.0","id":1,"method":"ping"} here, or run: npx -y -p node@24 -p @modelcontextprotocol/inspector mcp-inspector ${command(process.argv, process.execArgv)}
`
}

/** Returns the command that started this process, as a user would type it. */
export function command(argv: readonly string[], execArgv: readonly string[]): string {
  const [runtime = 'node', file = 'server.js', ...rest] = argv
  // Programs such as tsx start node with the path of a loader, which users do not type.
  const viaTsx = execArgv.some((argument) => /[\\/]tsx[\\/]/.test(argument))
  return [
    viaTsx ? 'npx tsx' : basename(runtime, '.exe'),
    quoted(relative(process.cwd(), file) || file),
    ...rest.map(quoted),
  ].join(' ')
}

const quoted = (text: string): string => (/^[\w@%+=:,./\\-]+$/.test(text) ? text : JSON.stringify(text))
