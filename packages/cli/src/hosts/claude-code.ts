import { isObject } from '../formats/format.ts'
import { commandEntry, headersMember, type Host } from './host.ts'
import { pathOf } from './place.ts'

// https://code.claude.com/docs/en/mcp
export const claudeCode: Host = {
  id: 'claude-code',
  title: 'Claude Code',
  format: 'json',
  key: 'mcpServers',
  files: (place) => [pathOf(place).join(place.home, '.claude.json')],
  projectFile: '.mcp.json',
  ofProject: (content, folder) => member(member(member(content, 'projects'), folder), 'mcpServers'),
  references: 'text',
  local: (server) => ({ type: 'stdio', ...commandEntry(server, (name) => `\${${name}}`) }),
  remote: (server) => ({ type: 'http', url: server.url, ...headersMember(server) }),
  inTerminal: true,
  strictJson: true,
  next: 'Start a new session of Claude Code, and see /mcp',
}

const member = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined)
