import { type Entry, isObject } from '../formats/format.ts'
import { commandEntry, headersMember, type Host } from './host.ts'
import { pathOf } from './place.ts'

// https://geminicli.com/docs/tools/mcp-server
export const geminiCli: Host = {
  id: 'gemini-cli',
  title: 'Gemini CLI',
  format: 'json',
  key: 'mcpServers',
  files: (place) => [pathOf(place).join(place.home, '.gemini', 'settings.json')],
  projectFile: '.gemini/settings.json',
  references: 'text',
  local: (server) => commandEntry(server, (name) => `$${name}`),
  // In Gemini CLI, `url` alone means HTTP+SSE.
  remote: (server) => ({ httpUrl: server.url, ...headersMember(server) }),
  read(entry) {
    const { httpUrl, url, ...others } = withBraces(entry) as Entry
    if (httpUrl !== undefined) return { ...others, type: 'http', url: httpUrl }
    return url === undefined ? others : { type: 'sse', ...others, url }
  },
  inTerminal: true,
  next: 'Start Gemini CLI again, and see /mcp',
}

/** Converts `$NAME` to `${NAME}` in all strings. */
function withBraces(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(/\$([A-Za-z_]\w*)/g, '${$1}')
  if (Array.isArray(value)) return value.map(withBraces)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withBraces(each)]))
}
