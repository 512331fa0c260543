import process from 'node:process'

/** An example call that anyone can repeat. */
export interface SampleCall {
  readonly tool: string
  readonly arguments: Readonly<Record<string, string>>
}

/** The information in an app's welcome message. */
export interface Running {
  readonly name: string
  readonly url: string
  readonly adapter: string
  readonly tools: ReadonlyArray<{ readonly name: string; readonly description?: string }>
  readonly sample: SampleCall
  /** The absolute path of the app's entry file. */
  readonly entry: string
}

/** Returns the welcome message: the URL, the tools, and commands that users can copy. */
export function welcome(app: Running): string {
  const width = Math.max(...app.tools.map(({ name }) => name.length))
  return [
    '',
    `${app.name} is listening on ${app.url} (${app.adapter})`,
    '',
    'Its tools:',
    ...app.tools.map(({ name, description = '' }) => `  ${name.padEnd(width)}  ${description}`),
    '',
    'Call one from another terminal, with the MCP Inspector (it brings the newer Node that it needs):',
    `  ${inspectorLine(app.url, app.sample)}`,
    '',
    'Add it to Claude Desktop, in claude_desktop_config.json:',
    JSON.stringify(desktopConfig(app.name, app.entry), undefined, 2),
    '',
    'Ctrl-C stops it.',
    '',
  ].join('\n')
}

function inspectorLine(url: string, { tool, arguments: args }: SampleCall): string {
  const pairs = Object.entries(args).flatMap(([name, value]) => ['--tool-arg', quote(`${name}=${value}`)])
  return [
    'npx -y -p node@24 -p @modelcontextprotocol/inspector@2.12.0 mcp-inspector',
    `--cli ${url} --transport http --method tools/call --tool-name ${tool}`,
    ...pairs,
  ].join(' ')
}

const quote = (word: string): string => (/^[\w=.,:/-]+$/.test(word) ? word : `"${word}"`)

/**
 * The configuration contains absolute paths, because Claude Desktop starts servers in `/` with a short PATH.
 * A source file also needs this process's loader.
 */
function desktopConfig(name: string, entry: string): object {
  const loader = entry.endsWith('.ts') ? process.execArgv : []
  return { mcpServers: { [name]: { command: process.execPath, args: [...loader, entry, '--stdio'] } } }
}
