import { commandEntry, headersMember, type Host } from '../host.ts'
import { pathOf } from '../place.ts'

// https://geminicli.com/docs/tools/mcp-server
export const geminiCli: Host = {
  id: 'gemini-cli',
  title: 'Gemini CLI',
  format: 'json',
  key: 'mcpServers',
  files: (place) => [pathOf(place).join(place.home, '.gemini', 'settings.json')],
  projectFile: '.gemini/settings.json',
  references: true,
  local: (server) => commandEntry(server, (name) => `$${name}`),
  // `url` alone is HTTP+SSE there.
  remote: (server) => ({ httpUrl: server.url, ...headersMember(server) }),
  next: 'Start Gemini CLI again, and see /mcp',
}
