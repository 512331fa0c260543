import { commandEntry, headersMember, type Host } from './host.ts'
import { pathOf } from './place.ts'

export const cursor: Host = {
  id: 'cursor',
  title: 'Cursor',
  format: 'json',
  key: 'mcpServers',
  files: (place) => [pathOf(place).join(place.home, '.cursor', 'mcp.json')],
  projectFile: '.cursor/mcp.json',
  references: 'text',
  local: (server) => commandEntry(server, (name) => `\${env:${name}}`),
  remote: (server) => ({ url: server.url, ...headersMember(server) }),
  next: 'Cursor loads it by itself: see Settings, MCP',
  // The link contains the entry itself, without its name: https://cursor.com/docs/mcp/install-links. It leads to a
  // web page that opens the app, because GitHub removes links with schemes other than HTTP.
  link: (name, entry) =>
    `https://cursor.com/en/install-mcp?name=${encodeURIComponent(name)}&config=${encodeURIComponent(Buffer.from(JSON.stringify(entry)).toString('base64'))}`,
}
