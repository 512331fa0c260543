import { commandEntry, headersMember, type Host } from './host.ts'
import { pathOf, settingsFolder } from './place.ts'

export const vscode: Host = {
  id: 'vscode',
  title: 'VS Code',
  format: 'json',
  key: 'servers',
  files: (place) => [pathOf(place).join(settingsFolder(place), 'Code', 'User', 'mcp.json')],
  projectFile: '.vscode/mcp.json',
  references: 'text',
  local: (server) => ({ type: 'stdio', ...commandEntry(server, (name) => `\${env:${name}}`) }),
  remote: (server) => ({ type: 'http', url: server.url, ...headersMember(server) }),
  next: 'Start it in VS Code: MCP: List Servers',
  // The link contains the entry with its name: https://code.visualstudio.com/api/extension-guides/ai/mcp. It leads
  // to a web page that opens the app, because GitHub removes links with schemes other than HTTP.
  link: (name, entry) =>
    `https://vscode.dev/redirect?url=${encodeURIComponent(`vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name, ...entry }))}`)}`,
}
