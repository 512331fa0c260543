import { commandEntry, headersMember, type Host } from './host.ts'
import { pathOf } from './place.ts'

// https://docs.windsurf.com/windsurf/cascade/mcp
export const windsurf: Host = {
  id: 'windsurf',
  title: 'Windsurf',
  format: 'json',
  key: 'mcpServers',
  files: (place) => [pathOf(place).join(place.home, '.codeium', 'windsurf', 'mcp_config.json')],
  references: 'text',
  local: (server) => commandEntry(server, (name) => `\${env:${name}}`),
  remote: (server) => ({ serverUrl: server.url, ...headersMember(server) }),
  read: ({ serverUrl, ...entry }) => ({ ...entry, ...(serverUrl !== undefined && { url: serverUrl }) }),
  next: 'Refresh the list of MCP servers in Windsurf',
}
